/** An agent that wants to pay, and the page on which a person decides: `npx tsx examples/approvals-inbox/main.ts`. */
import { randomBytes } from "node:crypto";
import { Annotation, START, StateGraph } from "@langchain/langgraph";
import { SlimSaver, approvalNode, ledgerOf } from "../../src/index.js";
import { approvalsRouter } from "../../src/ui/index.js";
import { serve } from "./serve.js";

const checkpointer = SlimSaver.fromConnString(":memory:");
const State = Annotation.Root({ supplier: Annotation<string>, euros: Annotation<number>, outcome: Annotation<string> });

const app = new StateGraph(State)
  .addNode(
    "pay",
    approvalNode({
      name: "pay",
      propose: ({ supplier, euros }: typeof State.State) => ({ action: "pay", args: { supplier, euros } }),
      perform: ({ supplier, euros }) => Promise.resolve(`paid ${euros} euros to ${supplier}`),
      update: (outcome) => ({ outcome }),
      onReject: ({ reason }) => ({ outcome: `not paid: ${reason}` }),
    }),
  )
  .addEdge(START, "pay")
  .compile({ checkpointer });

for (const [number, supplier] of ["Northwind Traders", "Contoso", "Tailspin Toys"].entries()) {
  const config = { configurable: { thread_id: `invoice-${number + 1}` } };
  await app.invoke({ supplier, euros: 100 * (number + 1) }, config);
}

/** Stands for your sign-in. Whoever opens the link that only this terminal shows is Ann, and gets a cookie. */
const key = randomBytes(16).toString("hex");
const router = approvalsRouter({
  ledger: ledgerOf(checkpointer),
  app,
  basePath: "/approvals",
  authorize: (request) =>
    Promise.resolve(request.headers.get("cookie") === `session=${key}` ? { by: "ann@example.com" } : undefined),
});

const { origin } = await serve(
  (request) => {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== "/sign-in" || searchParams.get("key") !== key) return router(request);
    const cookie = `session=${key}; HttpOnly; SameSite=Lax; Path=/`;
    return Promise.resolve(
      new Response(null, { status: 303, headers: { location: "/approvals/", "set-cookie": cookie } }),
    );
  },
  Number(process.env.PORT ?? 0),
);

console.log(`Decide here: ${origin}/sign-in?key=${key}`);
