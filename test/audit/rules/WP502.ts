import type { Cases } from "../cases.js";

export const cases: Cases = {
  invalid: [
    `const graph = new StateGraph({}).addNode("n", () => ({ ok: interrupt("ok?") })).addEdge(START, "n");
const app = graph.compile({ checkpointer: new MemorySaver() });
await app.invoke({}); // found`,
    `const graph = new StateGraph({}).addNode("n", () => ({ ok: interrupt("ok?") })).addEdge(START, "n");
const app = graph.compile({ checkpointer: new MemorySaver() });
await app.invoke({}, { configurable: { user: "1" } }); // found`,
  ],
  valid: [
    `const graph = new StateGraph({}).addNode("n", () => ({ ok: interrupt("ok?") })).addEdge(START, "n");
const app = graph.compile({ checkpointer: new MemorySaver() });
await app.invoke({}, { configurable: { thread_id: "1" } });`,
    `const graph = new StateGraph({}).addNode("n", () => ({ ok: interrupt("ok?") })).addEdge(START, "n");
const app = graph.compile({ checkpointer: new MemorySaver() });
await app.invoke({}, config);
await app.invoke({}, { ...config, recursionLimit: 5 });`,
  ],
};
