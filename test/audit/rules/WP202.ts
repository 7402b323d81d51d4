import type { Cases } from "../cases.js";

export const cases: Cases = {
  invalid: [
    `async function node(state) {
  throw interrupt("ok?"); // found
}`,
    `async function node(state) {
  throw await interrupt("ok?"); // found
}`,
    `async function node(state) {
  if (state.bad) throw interrupt({ reason: "bad" }) as Error; // found
  return {};
}`,
  ],
  valid: [
    `async function node(state) {
  const ok = interrupt("ok?");
  if (!ok) throw new Error("rejected");
  return {};
}`,
    `async function node(state) {
  return interrupt("ok?");
}`,
  ],
};
