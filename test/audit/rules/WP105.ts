import type { Cases } from "../cases.js";

export const cases: Cases = {
  invalid: [
    `async function node(state) {
  const id = randomUUID(); // effect
  return { id, ok: interrupt({ id }) }; // found
}`,
    `async function node(state) {
  const started = Date.now(); // effect
  const ok = interrupt({ started }); // found
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
  const ok = interrupt(at); // found
  return { ok, at };
}`,
    `async function node(state) {
  const id = state.id ?? randomUUID(); // effect
  const ok = interrupt({ id }); // found
  return { ok, id };
}`,
    `async function node(state) {
  const late = new Date().getHours() > 20; // effect
  const ok = late ? true : interrupt("ok?"); // found
  return { ok };
}`,
  ],
  mild: [
    `async function node(state) {
  return { ok: interrupt({ at: new Date().toISOString() }) };
}`,
    `async function node(state) {
  const started = Date.now();
  const ok = interrupt("ok?");
  return { ok, started };
}`,
    `function stopwatch() {
  const started = Date.now();
  return () => Date.now() - started;
}
async function node(state) {
  const elapsed = stopwatch();
  const ok = interrupt("ok?");
  logTime(elapsed());
  return { ok };
}`,
    `async function node(state) {
  const at = state.at || new Date().toISOString();
  const ok = interrupt(at);
  return { ok, at };
}`,
    `async function node(state) {
  const since = new Date(Date.now() - 1000);
  const rows = await pool.query("SELECT * FROM t WHERE at > $1", [since]);
  return { ok: interrupt(rows) };
}`,
    `function emit(state) {
  state.onProgress({ at: Date.now() });
}
async function node(state) {
  emit(state);
  const ok = interrupt("ok?");
  return { ok };
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
    `async function node(state) {
  const id = await memo("id", {}, () => randomUUID());
  return { id, ok: interrupt({ id }) };
}`,
    `async function node(state) {
  const day = new Date("2020-01-01").getDay();
  return { ok: interrupt({ day }) };
}`,
    `async function node(state) {
  const id = state.id;
  return { ok: interrupt({ id }) };
}`,
  ],
};
