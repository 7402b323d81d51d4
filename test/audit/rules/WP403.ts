import type { Cases } from "../cases.js";

export const cases: Cases = {
  invalid: [
    `async function node(state) {
  if (state.long) throw new NodeInterrupt("too long"); // found
  return {};
}`,
    `async function node(state) {
  throw new GraphInterrupt([]); // found
}`,
  ],
  valid: [
    `async function node(state) {
  return interrupt("ok?");
}`,
    `class NodeInterrupt2 {}
async function node(state) {
  throw new NodeInterrupt2();
}`,
    `async function node(state) {
  if (state.error instanceof NodeInterrupt) throw state.error;
  return {};
}`,
  ],
};
