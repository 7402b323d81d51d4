import type { Cases } from "../cases.js";

export const cases: Cases = {
  invalid: [
    `const sub = new StateGraph({}).addNode("a", () => ({})).compile();
async function node(state) {
  const result = await sub.invoke(state); // effect
  return { ok: interrupt(result) }; // found
}`,
    `const agent = createAgent({ model, tools: [] });
async function node(state) {
  const result = await agent.invoke(state); // effect
  return { ok: interrupt(result) }; // found
}`,
  ],
  valid: [
    `const sub = new StateGraph({}).addNode("a", () => ({})).compile();
async function node(state) {
  const ok = interrupt("ok?");
  return sub.invoke(state);
}`,
    `async function node(state) {
  return { ok: interrupt("ok?") };
}`,
  ],
};
