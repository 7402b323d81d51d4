import type { Cases } from "../cases.js";

export const cases: Cases = {
  invalid: [
    `const graph = new StateGraph({}).addNode("n", () => ({ ok: interrupt("ok?") })).addEdge(START, "n");
const app = graph.compile();
await app.invoke({}, { configurable: { thread_id: "1" } }); // found`,
    `const graph = new StateGraph({}).addNode("n", () => ({ ok: interrupt("ok?") })).addEdge(START, "n");
const app = graph.compile({ name: "x" });
for await (const part of await app.stream({}, {})) console.log(part); // found`,
    `const graph = new StateGraph({}).addNode("n", () => ({ ok: interrupt("ok?") })).addEdge(START, "n");
const app = graph.compile({});
await app.invoke({}, { configurable: { thread_id: "1" } }); // found`,
    `const graph = new StateGraph({}).addNode("n", () => ({ ok: interrupt("ok?") })).addEdge(START, "n");
const app = graph.compile();
async function main() {
  return app.invoke({}, { configurable: { thread_id: "1" } }); // found
}`,
    `const graph = new StateGraph({}).addNode("n", () => ({ ok: interrupt("ok?") })).addEdge(START, "n");
const app = graph.compile();
for await (const event of app.streamEvents({}, { version: "v2" })) console.log(event); // found`,
    `const graph = new StateGraph({}).addNode("n", () => ({ ok: interrupt("ok?") })).addEdge(START, "n");
await graph.compile().invoke({}, { configurable: { thread_id: "1" } }); // found`,
  ],
  valid: [
    `const graph = new StateGraph({}).addNode("n", () => ({ ok: interrupt("ok?") })).addEdge(START, "n");
const app = graph.compile({ checkpointer: new MemorySaver() });
await app.invoke({}, { configurable: { thread_id: "1" } });`,
    `const graph = new StateGraph({}).addNode("n", () => ({ ok: interrupt("ok?") })).addEdge(START, "n");
export const app = graph.compile();`,
    `const graph = new StateGraph({}).addNode("n", () => ({ ok: interrupt("ok?") })).addEdge(START, "n");
const sub = graph.compile();
const app = new StateGraph({}).addNode("s", sub).compile({ checkpointer: new MemorySaver() });
await app.invoke({}, { configurable: { thread_id: "1" } });`,
    `const graph = new StateGraph({}).addNode("n", () => ({ ok: interrupt("ok?") })).addEdge(START, "n");
const sub = graph.compile();
const node = async (state) => sub.invoke(state);
new StateGraph({}).addNode("s", node);`,
    `const graph = new StateGraph({}).addNode("n", () => ({ ok: interrupt("ok?") })).addEdge(START, "n");
const app = graph.compile(options);
await app.invoke({});`,
    `const app = new StateGraph({}).addNode("n", () => ({})).compile();
await app.invoke({});`,
  ],
};
