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
    `const node = async (state) => {
  state.items.push("asked"); // effect
  return { ok: interrupt("ok?") }; // found
};
new StateGraph({}).addNode("n", node);`,
    `const cache = new Map();
async function node(state) {
  cache.set(state.id, 1); // effect
  return { ok: interrupt("ok?") }; // found
}`,
    `let asked = 0;
function count() {
  asked += 1; // effect
}
async function node(state) {
  count();
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
    `async function node(state) {
  const seen = new Set();
  seen.add(state.id);
  return { ok: interrupt([...seen]) };
}`,
    `async function node(state) {
  const items = state.items.map((item) => item.name);
  items.sort();
  return { ok: interrupt(items) };
}`,
    `let asked = 0;
async function node(state) {
  if (state.done) {
    asked += 1;
    return {};
  }
  return { ok: interrupt("ok?") };
}`,
  ],
};
