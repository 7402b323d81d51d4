import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { DynamicStructuredTool, StructuredTool, tool } from "@langchain/core/tools";
import { Command, interrupt, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { createAgent, createMiddleware, humanInTheLoopMiddleware, MIDDLEWARE_BRAND } from "langchain";
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { decide, pendingApprovals } from "../../../src/nodes/decide.js";
import { resume } from "../../../src/nodes/resume.js";
import { effectContextOf, safeTools } from "../../../src/nodes/safe-tools.js";
import { safeToolsMiddleware } from "../../../src/nodes/safe-tools-middleware.js";
import type { ToolPolicy } from "../../../src/nodes/tool-policy.js";
import { ScriptedModel } from "../../scripted-model.js";
import { approve, asked, asks, MINUTE, on, Outside, plain, useLedger, type Payload } from "./support.js";

let outside: Outside;
beforeEach(() => {
  outside = new Outside();
});

const Amount = z.object({ amount: z.number() });

/** A tool that calls the outside with its name and amount. */
function payTool(name: string) {
  return tool(({ amount }) => outside.call(`${name} ${amount}`), {
    name,
    description: `Does ${name}.`,
    schema: Amount,
  });
}

interface Call {
  name: string;
  amount: number;
  id: string;
}

function says(...calls: Call[]): AIMessage {
  return new AIMessage({
    content: "",
    tool_calls: calls.map(({ name, amount, id }) => ({ name, args: { amount }, id, type: "tool_call" as const })),
  });
}

const bye = new AIMessage("bye");
const hello = { messages: [new HumanMessage("hello")] };
const gated = { approval: true } as const;

function agentOf(
  script: AIMessage[],
  policy: ToolPolicy,
  options: { middleware?: boolean; version?: "v1" | "v2" } = {},
) {
  const tools = [payTool("refund"), payTool("wire"), payTool("look")];
  return createAgent({
    model: new ScriptedModel(script),
    tools: safeTools(tools, policy),
    middleware: options.middleware === false ? [] : [safeToolsMiddleware(policy)],
    checkpointer: new MemorySaver(),
    ...(options.version === undefined ? {} : { version: options.version }),
  });
}

function toolMessages(result: { messages: BaseMessage[] }): Record<string, string> {
  const messages = result.messages.filter((message) => ToolMessage.isInstance(message));
  return Object.fromEntries(
    messages.map((message) => [message.tool_call_id, `${message.status ?? ""} ${message.text}`]),
  );
}

const three = says(
  { name: "refund", amount: 1, id: "c1" },
  { name: "wire", amount: 2, id: "c2" },
  { name: "look", amount: 3, id: "c3" },
);

describe("safeToolsMiddleware with safeTools in createAgent", () => {
  const policy: ToolPolicy = { tools: { refund: gated, wire: gated } };

  it("is built as langchain's createMiddleware builds one, and wraps no tool call", () => {
    const theirs = createMiddleware({ name: "Theirs", afterModel: () => undefined });
    const ours = safeToolsMiddleware(policy) as unknown as Record<symbol, unknown>;
    expect(MIDDLEWARE_BRAND in ours).toBe(true);
    expect(Object.getOwnPropertySymbols(ours)).toEqual(Object.getOwnPropertySymbols(theirs));
    expect(Object.keys(theirs)).toEqual(expect.arrayContaining(Object.keys(ours)));
    expect(ours).not.toHaveProperty("wrapToolCall");
  });

  it("asks in exactly the shape of langchain's humanInTheLoopMiddleware", async () => {
    useLedger();
    const recorded = humanInTheLoopMiddleware({
      interruptOn: { refund: true, wire: true },
    } as never) as unknown as ReturnType<typeof safeToolsMiddleware>;
    const theirs = createAgent({
      model: new ScriptedModel([three, bye]),
      tools: [payTool("refund"), payTool("wire"), payTool("look")],
      middleware: [recorded],
      checkpointer: new MemorySaver(),
    });
    const expected = asked(await theirs.invoke(hello, on("theirs")));
    const { approvals, ...own } = asked(await agentOf([three, bye], policy).invoke(hello, on("ours")));
    expect(own).toEqual(expected);
    expect(approvals).toHaveLength(2);
  });

  it.each(["v1", "v2"] as const)(
    "runs exactly the approved of two gated calls, once, and the free one (%s)",
    async (version) => {
      useLedger();
      const agent = agentOf([three, bye], policy, { version });
      await agent.invoke(hello, on("t"));
      expect(outside.calls).toEqual([]);
      const done = await agent.invoke(
        plain({ decisions: [{ type: "approve" }, { type: "reject", message: "not today" }] }),
        on("t"),
      );
      expect(outside.calls.toSorted()).toEqual(["look 3", "refund 1"]);
      const answers = toolMessages(done as never);
      expect(answers.c2).toBe("error not today");
      expect(Object.keys(answers).toSorted()).toEqual(["c1", "c2", "c3"]);
      expect((done as { messages: BaseMessage[] }).messages.at(-1)?.text).toBe("bye");
    },
  );

  it("goes back to the model when every call was rejected", async () => {
    useLedger();
    const agent = agentOf([says({ name: "refund", amount: 1, id: "c1" }), bye], policy);
    await agent.invoke(hello, on("t"));
    const done = await agent.invoke(plain({ decisions: [{ type: "reject" }] }), on("t"));
    expect(toolMessages(done as never).c1).toContain("rejected the tool call for `refund` with id c1");
    expect((done as { messages: BaseMessage[] }).messages.at(-1)?.text).toBe("bye");
    expect(outside.calls).toEqual([]);
  });

  it("runs an edited call as edited, and the model's message says so", async () => {
    useLedger();
    const agent = agentOf([says({ name: "refund", amount: 100, id: "c1" }), bye], policy);
    const first = await agent.invoke(hello, on("t"));
    expect(asks(first)).toBe(true);
    const done = (await agent.invoke(
      plain({ decisions: [{ type: "edit", editedAction: { name: "refund", args: { amount: 7 } } }] }),
      on("t"),
    )) as unknown as { messages: BaseMessage[] };
    expect(outside.calls).toEqual(["refund 7"]);
    const spoken = done.messages.filter((message) => AIMessage.isInstance(message));
    expect(spoken).toHaveLength(2);
    expect(spoken[0]?.tool_calls?.[0]?.args).toEqual({ amount: 7 });
  });

  it("refuses an edit into another tool", async () => {
    useLedger();
    const agent = agentOf([says({ name: "refund", amount: 1, id: "c1" }), bye], policy);
    await agent.invoke(hello, on("t"));
    const again = await agent.invoke(
      plain({ decisions: [{ type: "edit", editedAction: { name: "look", args: { amount: 1 } } }] }),
      on("t"),
    );
    expect(asked(again).problem).toContain('not turn it into "look"');
    expect(outside.calls).toEqual([]);
  });

  it("never runs a rejected call, whatever routes there", async () => {
    useLedger();
    const policyHere: ToolPolicy = { tools: { refund: gated } };
    const reroute = createMiddleware({
      name: "Reroute",
      afterModel: {
        canJumpTo: ["tools"],
        hook: (state) => {
          const rejected = state.messages.some((message) => ToolMessage.isInstance(message));
          const call = state.messages.findLast((message) => AIMessage.isInstance(message));
          if (!rejected || !call?.tool_calls?.length) return undefined;
          // Takes the rejection out and sends the call to the tools all the same.
          return { messages: [call], jumpTo: "tools" as const };
        },
      },
    });
    const wrapped = createMiddleware({
      name: "Forget",
      wrapToolCall: (request, handler) => handler(request),
    });
    const agent = createAgent({
      model: new ScriptedModel([says({ name: "refund", amount: 1, id: "c1" }), bye]),
      tools: safeTools([payTool("refund")], policyHere),
      middleware: [reroute, wrapped, safeToolsMiddleware(policyHere)],
      checkpointer: new MemorySaver(),
    });
    await agent.invoke(hello, on("t"));
    await agent.invoke(plain({ decisions: [{ type: "reject", message: "no" }] }), on("t"));
    expect(outside.calls).toEqual([]);
    const [refund] = safeTools([payTool("refund")], policyHere);
    const graph = new StateGraph(MessagesAnnotation).addNode("tools", new ToolNode([refund!])).addEdge(START, "tools");
    const app = graph.compile({ checkpointer: new MemorySaver() });
    const routed = await app.invoke({ messages: [says({ name: "refund", amount: 1, id: "c1" })] }, on("t"));
    expect(routed.messages.at(-1)?.text).toBe("no");
    expect(outside.calls).toEqual([]);
  });

  it("spends an approval on one visit: the same call routed to the tools again is asked for anew", async () => {
    useLedger();
    const agent = agentOf([says({ name: "refund", amount: 1, id: "c1" }), bye], { tools: { refund: gated } });
    await agent.invoke(hello, on("t"));
    await agent.invoke(plain(approve), on("t"));
    expect(outside.calls).toEqual(["refund 1"]);
    const [refund] = safeTools([payTool("refund")], { tools: { refund: gated } });
    const graph = new StateGraph(MessagesAnnotation).addNode("tools", new ToolNode([refund!])).addEdge(START, "tools");
    const app = graph.compile({ checkpointer: new MemorySaver() });
    const routed = await app.invoke({ messages: [says({ name: "refund", amount: 1, id: "c1" })] }, on("t"));
    expect(asks(routed)).toBe(true);
    expect(outside.calls).toEqual(["refund 1"]);
  });

  it("asks anew when the model uses a tool call id again, and runs each once", async () => {
    useLedger();
    const script = [says({ name: "refund", amount: 1, id: "c1" }), says({ name: "refund", amount: 1, id: "c1" }), bye];
    const agent = agentOf(script, policy);
    await agent.invoke(hello, on("t"));
    const second = await agent.invoke(plain(approve), on("t"));
    expect(asks(second)).toBe(true);
    expect(outside.calls).toEqual(["refund 1"]);
    const done = (await agent.invoke(plain(approve), on("t"))) as unknown as { messages: BaseMessage[] };
    expect(outside.calls).toEqual(["refund 1", "refund 1"]);
    expect(done.messages.filter((message) => ToolMessage.isInstance(message))).toHaveLength(2);
  });

  it("loses no sibling whose id was used before, although langchain takes it for answered", async () => {
    useLedger();
    const script = [
      says({ name: "refund", amount: 1, id: "c1" }),
      says({ name: "refund", amount: 2, id: "c1" }, { name: "wire", amount: 3, id: "c2" }),
      bye,
    ];
    const agent = agentOf(script, policy);
    await agent.invoke(hello, on("t"));
    await agent.invoke(plain(approve), on("t"));
    await agent.invoke(plain({ decisions: [{ type: "approve" }, { type: "reject" }] }), on("t"));
    expect(outside.calls).toEqual(["refund 1", "refund 2"]);
  });

  it("asks only for calls that `when` picks out", async () => {
    useLedger();
    const when = ({ amount }: { amount: number }) => amount > 10;
    const big: ToolPolicy = { tools: { refund: { approval: { when } } } };
    const small = agentOf([says({ name: "refund", amount: 10, id: "c1" }), bye], big);
    expect(asks(await small.invoke(hello, on("small")))).toBe(false);
    const large = agentOf([says({ name: "refund", amount: 11, id: "c1" }), bye], big);
    expect(asks(await large.invoke(hello, on("large")))).toBe(true);
    expect(outside.calls).toEqual(["refund 10"]);
  });

  it("lets the model read why arguments that no JSON can hold were not even asked for", async () => {
    useLedger();
    const agent = agentOf([says({ name: "refund", amount: Number.NaN, id: "c1" }), bye], policy);
    const done = await agent.invoke(hello, on("t"));
    expect(toolMessages(done as never).c1).toContain("NaN");
    expect(outside.calls).toEqual([]);
  });

  it("takes decisions from decide(), one by one, and names the approvers' tool in the row", async () => {
    const { ledger } = useLedger();
    const bound: ToolPolicy = { tools: { refund: { approval: { approvers: ["ann"] } }, wire: gated } };
    const agent = agentOf([three, bye], bound);
    await agent.invoke(hello, on("t"));
    const [refund, wire] = await pendingApprovals(ledger, { threadId: "t" });
    expect(refund).toMatchObject({ action: "refund", toolCallId: "c1", mode: "bound", origin: "middleware" });
    await decide(ledger, wire!.id, { type: "approve" }, { by: "bob", app: agent });
    expect(outside.calls).toEqual([]);
    const last = await decide(ledger, refund!.id, { type: "reject" }, { by: "ann", app: agent });
    expect(last).toMatchObject({ applied: true, woken: true });
    expect(outside.calls.toSorted()).toEqual(["look 3", "wire 2"]);
  });

  it("runs nothing when the plan's version has moved on since; the tool asks anew", async () => {
    const { ledger } = useLedger();
    let version = 1;
    const versioned: ToolPolicy = { tools: { refund: gated }, planVersion: () => version };
    const agent = agentOf([says({ name: "refund", amount: 1, id: "c1" }), bye], versioned);
    const first = await agent.invoke(hello, on("t"));
    await decide(ledger, asked(first).approvals[0]!.id, { type: "approve" }, { by: "ann" });
    version = 2;
    const { pending } = await resume(agent, on("t"));
    expect(outside.calls).toEqual([]);
    expect((pending[0]!.value as Payload).problem).toContain("plan version 1; it is 2 by now");
    const { values } = await resume(agent, on("t"), { [pending[0]!.interruptId]: approve });
    expect(outside.calls).toEqual(["refund 1"]);
    expect(toolMessages(values as never).c1).toContain("done 1");
  });
});

describe("a tool that asks by itself", () => {
  const policy: ToolPolicy = { tools: { refund: gated } };

  it("asks before it runs, runs once after approval, and its siblings run once", async () => {
    useLedger();
    const agent = agentOf([three, bye], { tools: { refund: gated, wire: {}, look: {} } }, { middleware: false });
    const first = await agent.invoke(hello, on("t"));
    expect(asked(first).actionRequests).toMatchObject([{ name: "refund" }]);
    expect(outside.calls.toSorted()).toEqual(["look 3", "wire 2"]);
    await agent.invoke(plain(approve), on("t"));
    expect(outside.calls.toSorted()).toEqual(["look 3", "refund 1", "wire 2"]);
  });

  it("does not run after a rejection; the model reads the reason", async () => {
    useLedger();
    const agent = agentOf([says({ name: "refund", amount: 1, id: "c1" }), bye], policy, { middleware: false });
    await agent.invoke(hello, on("t"));
    const done = await agent.invoke(plain({ type: "reject", message: "no" }), on("t"));
    expect(toolMessages(done as never).c1).toBe("error no");
    expect(outside.calls).toEqual([]);
  });

  it("tells the model which arguments ran instead of its own", async () => {
    useLedger();
    const agent = agentOf([says({ name: "refund", amount: 1, id: "c1" }), bye], policy, { middleware: false });
    await agent.invoke(hello, on("t"));
    const done = await agent.invoke(plain({ type: "edit", args: { amount: 3 } }), on("t"));
    expect(outside.calls).toEqual(["refund 3"]);
    expect(toolMessages(done as never).c1).toContain('{"amount":3}');
  });

  it("asks anew for a call id that is used again", async () => {
    useLedger();
    const script = [says({ name: "refund", amount: 1, id: "c1" }), says({ name: "refund", amount: 1, id: "c1" }), bye];
    const agent = agentOf(script, policy, { middleware: false });
    await agent.invoke(hello, on("t"));
    const second = await agent.invoke(plain(approve), on("t"));
    expect(asks(second)).toBe(true);
    expect(outside.calls).toHaveLength(1);
    await agent.invoke(plain(approve), on("t"));
    expect(outside.calls).toHaveLength(2);
  });
});

describe("safeTools in LangGraph's ToolNode", () => {
  function nodeOf(tools: ReturnType<typeof payTool>[], policy: ToolPolicy) {
    return new StateGraph(MessagesAnnotation)
      .addNode("tools", new ToolNode(safeTools(tools, policy)))
      .addEdge(START, "tools")
      .compile({ checkpointer: new MemorySaver() });
  }

  it("runs a sibling of an interrupting tool once (E20)", async () => {
    useLedger();
    const question = tool(() => String(interrupt("sure?")), { name: "question", description: "Asks.", schema: Amount });
    const app = nodeOf([payTool("refund"), question], { tools: { refund: {} } });
    const calls = says({ name: "refund", amount: 1, id: "c1" }, { name: "question", amount: 2, id: "c2" });
    await app.invoke({ messages: [calls] }, on("t"));
    const done = await app.invoke(plain("yes"), on("t"));
    expect(outside.calls).toEqual(["refund 1"]);
    expect(toolMessages(done as never)).toMatchObject({ c1: "success done 1", c2: "success yes" });
  });

  it("makes one question of two gated siblings, and each answer arrives at its own call", async () => {
    useLedger();
    const app = nodeOf([payTool("refund"), payTool("wire")], { tools: { refund: gated, wire: gated } });
    const calls = says({ name: "refund", amount: 1, id: "c1" }, { name: "wire", amount: 2, id: "c2" });
    const first = await app.invoke({ messages: [calls] }, on("t"));
    expect(asked(first).actionRequests.map(({ name }) => name)).toEqual(["refund", "wire"]);
    const done = await app.invoke(
      plain({ decisions: [{ type: "reject", message: "no" }, { type: "approve" }] }),
      on("t"),
    );
    expect(outside.calls).toEqual(["wire 2"]);
    expect(toolMessages(done as never)).toMatchObject({ c1: "error no", c2: "success done 1" });
  });
});

describe("what a safe tool keeps", () => {
  const call = (name: string, id = "c1") => ({ name, args: { amount: 1 }, id, type: "tool_call" as const });

  async function inGraph(use: (config: object) => Promise<unknown>): Promise<unknown> {
    let result: unknown;
    const app = new StateGraph(MessagesAnnotation)
      .addNode("node", async (_state, config) => {
        result = await use(config);
        return {};
      })
      .addEdge(START, "node")
      .compile({ checkpointer: new MemorySaver() });
    await app.invoke({ messages: [] }, on("t"));
    return result;
  }

  it("its class, name, schema, description, metadata and returnDirect", () => {
    useLedger();
    const original = new DynamicStructuredTool({
      name: "refund",
      description: "Gives money back.",
      schema: Amount,
      metadata: { team: "payments" },
      returnDirect: true,
      func: () => Promise.resolve("ok"),
    });
    const [safe] = safeTools([original], { tools: { refund: {} } });
    expect(safe).toBeInstanceOf(DynamicStructuredTool);
    expect(safe).toMatchObject({
      name: "refund",
      description: "Gives money back.",
      schema: Amount,
      metadata: { team: "payments" },
      returnDirect: true,
    });
  });

  it("a subclass with private fields", async () => {
    useLedger();
    class Counter extends StructuredTool<typeof Amount> {
      readonly name = "refund";
      readonly description = "Counts.";
      readonly schema = Amount;
      #count = 0;
      protected _call({ amount }: { amount: number }): Promise<string> {
        this.#count += amount;
        return Promise.resolve(`count ${this.#count}`);
      }
    }
    const [safe] = safeTools([new Counter()], { tools: { refund: {} } });
    await expect(inGraph((config) => safe!.invoke(call("refund"), config))).resolves.toMatchObject({
      content: "count 1",
    });
  });

  it("content and artifact, also from the ledger", async () => {
    useLedger();
    const original = tool(
      ({ amount }) => {
        outside.call(amount);
        return ["paid", { amount }];
      },
      { name: "refund", description: "Pays.", schema: Amount, responseFormat: "content_and_artifact" },
    );
    const [safe] = safeTools([original], { tools: { refund: { key: () => "k" } } });
    for (const id of ["c1", "c2"]) {
      const message = await inGraph((config) => safe!.invoke(call("refund", id), config));
      expect(message).toMatchObject({ content: "paid", artifact: { amount: 1 }, tool_call_id: id });
    }
    expect(outside.calls).toHaveLength(1);
  });

  it("Commands and tool messages, bound to the call that gets them", async () => {
    useLedger();
    const original = tool(
      ({ amount }, config: { toolCall?: { id?: string } }) => {
        outside.call(amount);
        const message = new ToolMessage({ content: "paid", tool_call_id: config.toolCall?.id ?? "", name: "refund" });
        return new Command({ update: { paid: amount, messages: [message] }, goto: "next" });
      },
      { name: "refund", description: "Pays.", schema: Amount },
    );
    const [safe] = safeTools([original], { tools: { refund: { key: () => "k" } } });
    for (const id of ["c1", "c2"]) {
      const command = (await inGraph((config) => safe!.invoke(call("refund", id), config))) as Command;
      expect(command).toBeInstanceOf(Command);
      expect(command).toMatchObject({
        goto: ["next"],
        update: { paid: 1, messages: [{ tool_call_id: id, content: "paid" }] },
      });
    }
    expect(outside.calls).toHaveLength(1);
  });

  it("a tool message of its own", async () => {
    useLedger();
    const original = tool(
      ({ amount }, config: { toolCall?: { id?: string } }) => {
        outside.call(amount);
        return new ToolMessage({
          content: "paid",
          tool_call_id: config.toolCall?.id ?? "",
          name: "refund",
          artifact: 7,
        });
      },
      { name: "refund", description: "Pays.", schema: Amount },
    );
    const [safe] = safeTools([original], { tools: { refund: { key: () => "k" } } });
    for (const id of ["c1", "c2"]) {
      const message = await inGraph((config) => safe!.invoke(call("refund", id), config));
      expect(message).toMatchObject({ content: "paid", tool_call_id: id, artifact: 7 });
    }
    expect(outside.calls).toHaveLength(1);
  });

  it("events that a tool streams before it returns", async () => {
    useLedger();
    const original = tool(
      async function* ({ amount }) {
        yield `step ${amount}`;
        return await Promise.resolve("paid");
      },
      { name: "refund", description: "Pays.", schema: Amount },
    );
    const [safe] = safeTools([original], { tools: { refund: {} } });
    await expect(inGraph((config) => safe!.invoke(call("refund"), config))).resolves.toMatchObject({ content: "paid" });
  });

  it("the error of a tool that refuses, word for word, on every pass", async () => {
    useLedger();
    const refusing = tool(
      ({ amount }) => {
        outside.call(amount);
        throw new Error("The flight is full.");
      },
      { name: "refund", description: "Books.", schema: Amount },
    );
    const script = [says({ name: "refund", amount: 1, id: "c1" }), bye];
    const run = async (tools: (typeof refusing)[]) => {
      const agent = createAgent({ model: new ScriptedModel(script), tools, checkpointer: new MemorySaver() });
      return toolMessages(await agent.invoke(hello, on("t")));
    };
    expect(await run(safeTools([refusing], { tools: { refund: {} } }))).toEqual(await run([refusing]));
  });

  it("a refusal that is not final for a new call with the same key", async () => {
    useLedger();
    let full = true;
    const book = tool(
      ({ amount }) => {
        outside.call(amount);
        if (full) throw new Error("full");
        return "booked";
      },
      { name: "refund", description: "Books.", schema: Amount },
    );
    const [safe] = safeTools([book], { tools: { refund: { key: () => "k" } } });
    await expect(inGraph((config) => safe!.invoke(call("refund"), config))).rejects.toThrow("full");
    full = false;
    await expect(inGraph((config) => safe!.invoke(call("refund", "c2"), config))).resolves.toMatchObject({
      content: "booked",
    });
  });

  it("and gives the tool its idempotency key", async () => {
    useLedger();
    const original = tool((_args, config: object) => String(effectContextOf(config)?.key), {
      name: "refund",
      description: "Pays.",
      schema: Amount,
    });
    const [safe] = safeTools([original], { tools: { refund: { key: () => "my-key" } } });
    await expect(inGraph((config) => safe!.invoke(call("refund"), config))).resolves.toMatchObject({
      content: "my-key",
    });
  });
});

describe("a policy that cannot be meant is refused at construction", () => {
  it.each<[string, ToolPolicy]>([
    ["a rule for a tool that is not there", { tools: { refnud: gated } }],
    ["approvers in open mode", { tools: { refund: { approval: { approvers: ["ann"], mode: "open" } } } }],
    ["no rules at all", {} as never],
  ])("%s", (_name, policy) => {
    expect(() => safeTools([payTool("refund")], policy)).toThrow(expect.objectContaining({ code: "INVALID_INPUT" }));
  });

  it("a tool that is no StructuredTool", () => {
    const odd = { name: "refund", invoke: () => Promise.resolve("x") };
    expect(() => safeTools([odd], { tools: { refund: {} } })).toThrow(
      expect.objectContaining({ code: "INVALID_INPUT" }),
    );
  });
});

it("an approval of a tool call that was decided late is refused by time, and the model reads it", async () => {
  const { clock } = useLedger();
  const policy: ToolPolicy = { tools: { refund: { approval: { decideWithin: "1m" } } } };
  const agent = agentOf([says({ name: "refund", amount: 1, id: "c1" }), bye], policy);
  await agent.invoke(hello, on("t"));
  clock.advance(MINUTE + 1);
  const done = await agent.invoke(plain(approve), on("t"));
  expect(toolMessages(done as never).c1).toContain("nobody approved it in time");
  expect(outside.calls).toEqual([]);
});
