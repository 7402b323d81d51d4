import type { Cases } from "../cases.js";

export const cases: Cases = {
  invalid: [
    `async function node(state) {
  return { ok: interrupt({ at: new Date(state.at) }) }; // found
}`,
    `async function node(state) {
  return { ok: interrupt({ run: () => 1 }) }; // found
}`,
    `async function node(state) {
  return { ok: interrupt({ seen: new Set(state.ids), total: 10n }) }; // found
}`,
    `class Order {}
async function node(state) {
  return { ok: interrupt(new Order()) }; // found
}`,
    `const load = async () => 1;
async function node(state) {
  return { ok: interrupt({ value: load() }) }; // found
}`,
    `async function node(state) {
  return { ok: interrupt(new Map([["a", 1]])) }; // found
}`,
  ],
  valid: [
    `async function node(state) {
  return { ok: interrupt({ at: new Date(state.at).toISOString(), ids: [1, 2] }) };
}`,
    `async function node(state) {
  const shown = { text: "ok?", list: state.items };
  return { ok: interrupt(shown) };
}`,
    `class Date {}
async function node(state) {
  return { ok: interrupt({ text: String(1) }) };
}`,
    `async function node(state) {
  return { ok: interrupt({ total: Number(10n), at: state.at }) };
}`,
    `async function node(state) {
  return { ok: interrupt({ ids: [...new Set(state.ids)] }) };
}`,
    `async function node(state) {
  const load = async () => 1;
  return { ok: interrupt({ value: await load() }) };
}`,
  ],
};
