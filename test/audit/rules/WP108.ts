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
    `const sub = new StateGraph({}).addNode("a", () => ({})).compile();
async function node(state) {
  for await (const part of await sub.stream(state)) console.log(part); // effect
  return { ok: interrupt("ok?") }; // found
}`,
    `const sub = new StateGraph({}).addNode("a", () => ({})).compile();
async function plan(state) {
  return sub.invoke(state); // effect
}
async function node(state) {
  const result = await plan(state);
  return { ok: interrupt(result) }; // found
}`,
    `const agent = createReactAgent({ llm: model, tools: [] });
async function node(state) {
  const result = await agent.invoke(state); // effect
  return { ok: interrupt(result) }; // found
}`,
    `const flow = entrypoint("flow", async () => 1);
async function node(state) {
  const result = await flow.invoke(state); // effect
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
    `const sub = new StateGraph({}).addNode("a", () => ({})).compile();
async function node(state) {
  if (state.done) return sub.invoke(state);
  return { ok: interrupt("ok?") };
}`,
    `const sub = new StateGraph({}).addNode("a", () => ({})).compile();
new StateGraph({}).addNode("s", sub).addNode("ask", () => ({ ok: interrupt("ok?") }));`,
    `const sub = new StateGraph({}).addNode("a", () => ({})).compile();
async function node(state) {
  const { name } = sub;
  return { ok: interrupt(name) };
}`,
    `const sub = new StateGraph({}).addNode("a", () => ({})).compile();
const run = task("run", async (state) => sub.invoke(state));
async function node(state) {
  const result = await run(state);
  return { ok: interrupt(result) };
}`,
  ],
};
