import { Annotation, MemorySaver, START, StateGraph } from "@langchain/langgraph";
import { memoryLedger } from "../../src/nodes/ledger.js";
import { requestApproval, type ApprovalOptions } from "../../src/nodes/request-approval.js";
import { approvalsRouter, type ApprovalsRouterOptions } from "../../src/ui/index.js";
import { pendingApprovals } from "../../src/nodes/decide.js";
import type { Approval } from "../../src/nodes/approval.js";
import { StillClock } from "../nodes/approval/support.js";

/** Ends elements and attributes, runs scripts, turns the reading direction, hides. */
export const EVIL = [
  `</pre></textarea></title></style><script>document.title = "owned"</script>`,
  `"><img src=x onerror="document.title='owned'">`,
  `' autofocus onfocus='document.title="owned"`,
  "\u202Ednuoder\u200B\u0007\u001b[2J",
  "javascript:alert(1)",
].join(" ");

const State = Annotation.Root({ args: Annotation<Record<string, unknown>>, outcome: Annotation<string> });

/** A graph that asks for whatever it is given, and a ledger beside it. */
export function office(ask: Partial<ApprovalOptions<Record<string, unknown>>> = {}) {
  const clock = new StillClock();
  const ledger = memoryLedger({ clock });
  const performed: unknown[] = [];
  const app = new StateGraph(State)
    .addNode("ask", async ({ args }, config) => {
      const decision = await requestApproval({ action: "pay", args, ledger, ...ask }, config);
      if (!("args" in decision)) return { outcome: decision.type };
      performed.push(decision.args);
      return { outcome: "paid" };
    })
    .addEdge(START, "ask")
    .compile({ checkpointer: new MemorySaver() });

  return {
    app,
    clock,
    ledger,
    performed,
    /** Starts a thread that asks, and returns what waits there. */
    async asks(thread: string, args: Record<string, unknown>): Promise<Approval> {
      await app.invoke({ args }, { configurable: { thread_id: thread } });
      const [approval] = await pendingApprovals(ledger, { threadId: thread });
      if (approval === undefined) throw new Error(`The thread ${thread} asks nothing.`);
      return approval;
    },
    state(id: string): Promise<Approval["state"] | "not pending"> {
      return pendingApprovals(ledger).then((all) => (all.some((one) => one.id === id) ? "pending" : "not pending"));
    },
    /** A router at which everybody is Ann, unless said otherwise. */
    router(options: Partial<ApprovalsRouterOptions> = {}) {
      return approvalsRouter({ ledger, app, authorize: () => Promise.resolve({ by: "ann" }), ...options });
    },
  };
}

export const ORIGIN = "https://desk.example.com";

export function get(path: string): Request {
  return new Request(`${ORIGIN}${path}`);
}

export function postJson(path: string, body: unknown, headers: Record<string, string> = {}): Request {
  return new Request(`${ORIGIN}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

export function postForm(path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Request {
  return new Request(`${ORIGIN}${path}`, { method: "POST", headers, body: new URLSearchParams(fields) });
}

/** The hidden fields of the forms of a page. */
export function fieldsIn(page: string): Record<string, string> {
  const inputs = [...page.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)];
  return Object.fromEntries(inputs.map(([, name = "", value = ""]) => [name, value]));
}
