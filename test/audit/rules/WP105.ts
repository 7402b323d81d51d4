import type { Cases } from "../cases.js";

export const cases: Cases = {
  invalid: [
    `async function node(state) {
  const id = randomUUID(); // effect
  return { id, ok: interrupt({ id }) }; // found
}`,
    `async function node(state) {
  const started = Date.now(); // effect
  const ok = interrupt("ok?"); // found
  return { ok, started };
}`,
    `async function node(state) {
  if (Math.random() < 0.5) return {}; // effect
  return { ok: interrupt("ok?") }; // found
}`,
    `function stamp() {
  return new Date().toISOString(); // effect
}
async function node(state) {
  const at = stamp();
  const ok = interrupt("ok?"); // found
  return { ok, at };
}`,
  ],
  valid: [
    `async function node(state) {
  const ok = interrupt("ok?");
  return { ok, at: Date.now() };
}`,
    `async function node(state) {
  const at = new Date(state.at);
  return { ok: interrupt(at.toISOString()) };
}`,
    `async function node(state) {
  const mode = process.env.MODE;
  return { ok: interrupt(mode) };
}`,
  ],
};
