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
  ],
};
