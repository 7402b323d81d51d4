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
    `const ask = tool(async () => {
  throw new NodeInterrupt("which?"); // found
}, { name: "ask" });`,
    `async function node(state) {
  const stop = new NodeInterrupt({ question: "ok?" }); // found
  throw stop;
}`,
    `class Gate {
  check(state) {
    if (!state.ok) throw new NodeInterrupt("not ok"); // found
  }
}`,
    `const pause = (value) => {
  throw new GraphInterrupt([{ value }]); // found
};`,
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
    `async function node(state) {
  try {
    return { ok: interrupt("ok?") };
  } catch (error) {
    if (error instanceof GraphInterrupt) throw error;
    return {};
  }
}`,
    `class GraphStop extends Error {}
async function node(state) {
  throw new GraphStop();
}`,
    `const isPause = (error) => error.name === "NodeInterrupt" || isGraphInterrupt(error);`,
  ],
};
