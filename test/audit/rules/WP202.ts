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
    `const node = (state) => {
  switch (state.kind) {
    case "a":
      throw interrupt("a?"); // found
    default:
      return {};
  }
};`,
    `import { interrupt as pause } from "@langchain/langgraph";
async function node(state) {
  throw pause("ok?"); // found
}`,
    `const ask = tool(async () => {
  throw interrupt("ok?"); // found
}, { name: "ask" });`,
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
    `async function node(state) {
  const error = new Error("no");
  if (!interrupt("ok?")) throw error;
  return {};
}`,
    `async function node(state) {
  throw new Error(String(interrupt("why?")));
}`,
    `import { interrupt as stop } from "./terminal.js";
async function node(state) {
  throw stop("ok?");

}
// file: terminal.ts
export const interrupt = (text) => new Error(text);`,
    `async function node(state) {
  void interrupt("go on?");
  throw new Error("not reached twice");
}`,
  ],
};
