import type { Cases } from "../cases.js";

export const cases: Cases = {
  invalid: [
    `async function node(state) {
  const items = await state.api.fetchItems(); // effect
  const answers = [];
  for (const item of items) answers.push(interrupt(item)); // found
  return { answers };
}`,
    `async function node(state) {
  const user = await state.api.getUser(); // effect
  let a;
  if (user.vip) a = interrupt("a?"); // found
  return { a, b: interrupt("b?") };
}`,
    `async function node(state) {
  if (Date.now() % 2 === 0) { // effect
    console.log(interrupt("a?")); // found
  }
  return { b: interrupt("b?") };
}`,
    `async function node(state) {
  const late = Math.random() > 0.5; // effect
  const a = late ? interrupt("a?") : null; // found
  return { a, b: interrupt("b?") };
}`,
    `async function node(state) {
  const rows = await pool.query("SELECT * FROM t"); // effect
  for (const row of rows.rows) {
    console.log(interrupt(row)); // found
  }
  return {};
}`,
    `async function node(state) {
  const user = await state.api.getUser(); // effect
  const a = interrupt("a?");
  if (user.vip) return { a, b: interrupt("b?") }; // found
  return { a };
}`,
  ],
  valid: [
    `async function node(state) {
  for (const item of state.items) console.log(interrupt(item));
  return {};
}`,
    `async function node(state) {
  const user = await state.api.getUser();
  if (!user) return {};
  return { ok: interrupt("ok?") };
}`,
    `async function node(state) {
  const a = interrupt("a?");
  if (!a) return {};
  return { a, b: interrupt("b?") };
}`,
    `async function node(state) {
  const user = await memo("user", {}, () => state.api.getUser());
  const a = user.vip ? interrupt("a?") : null;
  return { a, b: interrupt("b?") };
}`,
    `async function node(state) {
  const user = await state.api.getUser();
  const a = interrupt({ user });
  const b = interrupt("b?");
  return { a, b };
}`,
    `async function node(state) {
  const a = state.vip ? interrupt("a?") : null;
  return { a, b: interrupt("b?") };
}`,
  ],
};
