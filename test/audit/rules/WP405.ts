import type { Cases } from "../cases.js";

export const cases: Cases = {
  invalid: [
    `async function* node(state) {
  yield { ok: interrupt("ok?") }; // found
}
new StateGraph({}).addNode("n", node);`,
    `new StateGraph({}).addNode("n", function* () {
  const ok = interrupt("ok?"); // found
  yield { ok };
});`,
    `const node = async function* (state) {
  const ok = interrupt("ok?"); // found
  yield { ok };
};
new StateGraph({}).addNode("n", node).addEdge(START, "n");`,
    `function* node(state) {
  yield ask();
}
const ask = () => interrupt("ok?"); // found
new StateGraph({}).addNode("n", node);`,
    `new StateGraph({}).addNode({
  n: async function* (state) {
    yield { ok: interrupt("ok?") }; // found
  },
});`,
    `class Nodes {
  async *ask(state) {
    yield { ok: interrupt("ok?") }; // found
  }
}
const nodes = new Nodes();
new StateGraph({}).addNode("n", nodes.ask.bind(nodes));`,
  ],
  valid: [
    `async function* words() {
  yield "a";
}
new StateGraph({}).addNode("n", async () => ({ ok: interrupt("ok?") }));`,
    `function* node() {
  yield 1;
}
new StateGraph({}).addNode("n", node);`,
    `new StateGraph({}).addNode("n", async (state) => ({ ok: interrupt("ok?") }));`,
    `function* ids() {
  yield 1;
}
new StateGraph({}).addNode("n", async () => ({ ok: interrupt([...ids()]) }));`,
    `const stream = async function* (app) {
  yield* await app.stream({});
};
new StateGraph({}).addNode("n", () => ({ ok: interrupt("ok?") }));`,
    `async function* words() {
  yield interrupt("ok?");
}
console.log(words);`,
  ],
};
