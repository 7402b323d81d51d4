import type { Cases } from "../cases.js";

export const cases: Cases = {
  invalid: [
    `const node = async (state) => {
  state.count += 1; // effect
  return { ok: interrupt("ok?") }; // found
};
new StateGraph({}).addNode("n", node);`,
    `let asked = 0;
async function node(state) {
  asked += 1; // effect
  return { ok: interrupt("ok?") }; // found
}`,
    `const seen = new Set();
async function node(state) {
  seen.add(state.id); // effect
  return { ok: interrupt("ok?") }; // found
}`,
  ],
  valid: [
    `async function node(state) {
  let count = 0;
  count += 1;
  const list = [];
  list.push(count);
  return { ok: interrupt(list) };
}`,
    `let asked = 0;
async function node(state) {
  const ok = interrupt("ok?");
  asked += 1;
  return { ok };
}`,
    `async function node(state) {
  const copy = { ...state };
  copy.count = 1;
  return { ok: interrupt(copy) };
}`,
  ],
};
