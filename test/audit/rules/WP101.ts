import type { Cases } from "../cases.js";

export const cases: Cases = {
  invalid: [
    `async function node(state) {
  await stripe.refunds.create({}); // effect
  return { ok: interrupt("ok?") }; // found
}`,
    `async function node(state) {
  stripe.refunds.create({}); // effect
  return { ok: interrupt("ok?") }; // found
}`,
    `async function node(state) {
  if (state.vip) await stripe.refunds.create({}); // effect
  return { ok: interrupt("ok?") }; // found
}`,
    `async function node(state) {
  await pool.query("INSERT INTO orders VALUES (1)"); // effect
  const ok = await interrupt<string, boolean>( // found
    "ok?",
  );
  return { ok };
}`,
    `async function node(state) {
  await Promise.all([readFile("a"), appendFile("b", "x")]); // effect
  return { ok: interrupt("ok?") }; // found
}`,
    `async function node(state) {
  await fetch("https://x", { method: "POST", body: "{}" }); // effect
  return { ok: interrupt("ok?") }; // found
}`,
    `async function node(state) {
  await state.thing.doIt(); // effect
  return { ok: interrupt("ok?") }; // found
}`,
    `async function pay() {
  await stripe.refunds.create({}); // effect
}
async function node(state) {
  await pay();
  return { ok: interrupt("ok?") }; // found
}`,
    `class Agent {
  constructor(private readonly payments: Stripe) {}
  async pay() {
    await this.payments.refunds.create({}); // effect
  }
  async node() {
    await this.pay();
    return { ok: interrupt("ok?") }; // found
  }
}
const agent = new Agent(stripe);
new StateGraph({}).addNode("n", agent.node.bind(agent));`,
    `const withLog = (fn) => async (state) => {
  await appendFile("log", "x"); // effect
  return fn(state);
};
const ask = (state) => ({ ok: interrupt("ok?") }); // found
new StateGraph({}).addNode("n", withLog(ask));`,
    `const makeNode = ({ db }: { db: Pool }) => async (state) => {
  await db.query("INSERT INTO t VALUES (1)"); // effect
  return { ok: interrupt("ok?") }; // found
};
new StateGraph({}).addNode("n", makeNode({ db: pool }));`,
    `import { pay } from "./pay.js";
async function node(state) {
  await pay();
  return { ok: interrupt("ok?") }; // found
}
// file: pay.ts
export { pay } from "./barrel.js";
// file: barrel.ts
export * from "./real.js";
// file: real.ts
export const pay = async () => { await stripe.refunds.create({}); };`,
    `const flow = entrypoint("flow", async () => {
  await stripe.refunds.create({}); // effect
  return interrupt("ok?"); // found
});`,
    `async function node() {
  const { interrupt: ask } = await import("@langchain/langgraph");
  await stripe.refunds.create({}); // effect
  return { ok: ask("ok?") }; // found
}`,
    `async function node(state) {
  try {
    await stripe.refunds.create({}); // effect
  } finally {
    state.log("done");
  }
  return { ok: interrupt("ok?") }; // found
}`,
    `async function node(state) {
  for (const item of state.items) await stripe.refunds.create(item); // effect
  return { ok: interrupt("ok?") }; // found
}`,
    `async function auth(options) {
  if (options?.quiet) return 1;
  await stripe.refunds.create({}); // effect
  return 2;
}
async function node(state) {
  await auth({ quiet: false });
  return { ok: interrupt("ok?") }; // found
}`,
    `function tools(list) {
  const byName = new Map(list.map((each) => [each.name, each]));
  return async function node(state) {
    await byName.get(state.name).invoke(state.args); // effect
    return { ok: interrupt("ok?") }; // found
  };
}`,
    `async function node(state) {
  const byName = Object.fromEntries(state.tools.map((each) => [each.name, each]));
  await byName[state.name].invoke({}); // effect
  return { ok: interrupt("ok?") }; // found
}`,
    `import { db } from "./db.js";
async function node(state) {
  await db.update(state.table).set({ status: "waiting" }).where(state.id); // effect
  return { ok: interrupt("ok?") }; // found
}`,
    `import { db } from "./db.js";
async function node(state) {
  db.prepare("INSERT INTO asked VALUES (?)").run(state.id); // effect
  await db.query("UPDATE orders SET state = 1"); // effect
  return { ok: interrupt("ok?") }; // found
}`,
    `import { generateChart } from "./chart.js";
async function node(state) {
  const chart = await generateChart(state.rows); // effect
  return { ok: interrupt(chart.url) }; // found
}`,
    `import { sdk } from "unheard-of";
const run = (x) => sdk.perform(x);
async function node(state) {
  await run(1); // effect
  return { ok: interrupt("ok?") }; // found
}`,
    `import { MultiServerMCPClient } from "@langchain/mcp-adapters";
const client = new MultiServerMCPClient({});
async function node(state) {
  const [first] = await client.getTools();
  await first.invoke({}); // effect
  return { ok: interrupt("ok?") }; // found
}`,
  ],
  valid: [
    `import { db } from "./db.js";
async function node(state) {
  await db.insert(state.table).values({}).onConflictDoNothing();
  return { ok: interrupt("ok?") };
}`,
    `async function auth(options) {
  const url = state.url;
  if (options?.quiet) return url;
  await stripe.refunds.create({});
  return url;
}
async function node(state) {
  const url = await auth({ quiet: true });
  return { ok: interrupt(url) };
}`,

    `import { sdk } from "unheard-of";
const shape = (x) => sdk.shape(x);
async function node(state) {
  return { ok: interrupt(shape(state)) };
}`,
    `async function node(state) {
  const ok = interrupt("ok?");
  if (ok) await stripe.refunds.create({});
  return {};
}`,
    `async function node(state) {
  if (state.cancelled) {
    await stripe.refunds.create({});
    return {};
  }
  return { ok: interrupt("ok?") };
}`,
    `async function node(state) {
  if (state.kind === "a") await stripe.refunds.create({});
  if (state.kind === "b") return { ok: interrupt("ok?") };
  return {};
}`,
    `const pay = task("pay", async () => stripe.refunds.create({}));
async function node(state) {
  await pay();
  return { ok: interrupt("ok?") };
}`,
    `const pay = effect({ name: "pay", key: () => "k", run: async () => stripe.refunds.create({}) });
async function node(state) {
  await pay({});
  return { ok: interrupt("ok?") };
}`,
    `async function node(state) {
  console.log("asking");
  await memo("user", {}, () => fetch("https://x", { method: "POST" }));
  return { ok: interrupt("ok?") };
}`,
    `async function node(state) {
  await pool.query("INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING");
  return { ok: interrupt("ok?") };
}`,
    `/** @waypoint pure */
async function prepare(x) {
  await x.doIt();
}
async function node(state) {
  await prepare(state);
  return { ok: interrupt("ok?") };
}`,
    `async function node(state) {
  // @waypoint idempotent
  await state.client.register();
  return { ok: interrupt("ok?") };
}`,
    `async function shape(items) {
  return items.map((item) => item.name).join();
}
async function node(state) {
  const shown = await shape(state.items);
  return { ok: interrupt(shown) };
}`,
    `import { interrupt as pause } from "./terminal.js";
async function stop() {
  await stripe.refunds.create({});
  pause("x");
}
// file: terminal.ts
export function interrupt(x) {}`,
    `function interruptLocal(interrupt) {
  stripe.refunds.create({});
  return interrupt("x");
}`,
    `async function node(state) {
  if (state.bad) {
    await stripe.refunds.create({});
    throw new Error("bad");
  }
  return { ok: interrupt("ok?") };
}`,
    `async function node(state) {
  while (true) {
    if (state.bad) {
      await stripe.refunds.create({});
      break;
    }
    const ok = interrupt("ok?");
    if (ok) return {};
  }
  return {};
}`,
    `it("runs", async () => {
  await writeFile("a", "b");
  await node({});
});
async function node(state) {
  return { ok: interrupt("ok?") };
}`,
  ],
};
