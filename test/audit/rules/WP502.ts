import type { Cases } from "../cases.js";

export const cases: Cases = {
  invalid: [
    `const graph = new StateGraph({}).addNode("n", () => ({ ok: interrupt("ok?") })).addEdge(START, "n");
const app = graph.compile({ checkpointer: new MemorySaver() });
await app.invoke({}); // found`,
    `const graph = new StateGraph({}).addNode("n", () => ({ ok: interrupt("ok?") })).addEdge(START, "n");
const app = graph.compile({ checkpointer: new MemorySaver() });
await app.invoke({}, { configurable: { user: "1" } }); // found`,
    `const graph = new StateGraph({}).addNode("n", () => ({ ok: interrupt("ok?") })).addEdge(START, "n");
const app = graph.compile({ checkpointer: new MemorySaver() });
await app.stream({}); // found`,
    `const graph = new StateGraph({}).addNode("n", () => ({ ok: interrupt("ok?") })).addEdge(START, "n");
const app = graph.compile({ checkpointer: new MemorySaver() });
await app.invoke({}, {}); // found`,
    `const graph = new StateGraph({}).addNode("n", () => ({ ok: interrupt("ok?") })).addEdge(START, "n");
const app = graph.compile({ checkpointer: new MemorySaver() });
await app.invoke(new Command({ resume: "yes" })); // found`,
    `const graph = new StateGraph({}).addNode("n", () => ({ ok: interrupt("ok?") })).addEdge(START, "n");
const app = graph.compile({ checkpointer: new MemorySaver() });
async function main() {
  await app.invoke({}, { recursionLimit: 5 }); // found
}`,
  ],
  valid: [
    `const graph = new StateGraph({}).addNode("n", () => ({ ok: interrupt("ok?") })).addEdge(START, "n");
const app = graph.compile({ checkpointer: new MemorySaver() });
await app.invoke({}, { configurable: { thread_id: "1" } });`,
    `const graph = new StateGraph({}).addNode("n", () => ({ ok: interrupt("ok?") })).addEdge(START, "n");
const app = graph.compile({ checkpointer: new MemorySaver() });
await app.invoke({}, config);
await app.invoke({}, { ...config, recursionLimit: 5 });`,
    `const graph = new StateGraph({}).addNode("n", () => ({ ok: interrupt("ok?") })).addEdge(START, "n");
const app = graph.compile({ checkpointer: new MemorySaver() });
const config = { configurable: { thread_id: "1" } };
await app.stream({}, config);`,
    `const graph = new StateGraph({}).addNode("n", () => ({ ok: interrupt("ok?") })).addEdge(START, "n");
const app = graph.compile({ checkpointer: new MemorySaver() });
await app.invoke({}, { configurable: { ...ids, user: "1" } });`,
    `const app = new StateGraph({}).addNode("n", () => ({})).compile({ checkpointer: new MemorySaver() });
await app.invoke({});`,
    `const graph = new StateGraph({}).addNode("n", () => ({ ok: interrupt("ok?") })).addEdge(START, "n");
const app = graph.compile({ checkpointer: new MemorySaver() });
export const run = (config) => app.invoke({}, config);`,
  ],
};
