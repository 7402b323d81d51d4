import type { Cases } from "../cases.js";

export const cases: Cases = {
  invalid: [
    `async function node(state) {
  if (state.decision) return {};
  const decision = interrupt("ok?"); // found
  return { decision };
}`,
    `async function node(state) {
  if (state.approved) {
    return new Command({ goto: "pay" });
  }
  const answer = interrupt("ok?"); // found
  return { approved: answer };
}`,
  ],
  valid: [
    `async function node(state) {
  if (state.decision) return {};
  const decision = interrupt("ok?");
  return { decision };
}
const pay = () => ({ decision: null });`,
    `async function node(state) {
  const decision = interrupt("ok?");
  return { decision };
}`,
  ],
};
