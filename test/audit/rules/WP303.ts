import type { Cases } from "../cases.js";

export const cases: Cases = {
  invalid: [
    `async function node(state) {
  let age;
  while (typeof age !== "number") age = interrupt("age?"); // found
  return { age };
}`,
    `async function node(state) {
  for (;;) {
    const age = interrupt("age?"); // found
    if (age > 0) return { age };
  }
}`,
  ],
  valid: [
    `async function node(state) {
  for (const item of state.items) console.log(interrupt(item));
  return {};
}`,
    `async function node(state) {
  const age = interrupt("age?");
  return age > 0 ? { age } : new Command({ goto: "node" });
}`,
  ],
};
