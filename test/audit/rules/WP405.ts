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
  ],
};
