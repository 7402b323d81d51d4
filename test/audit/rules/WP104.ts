import type { Cases } from "../cases.js";

export const cases: Cases = {
  invalid: [
    `async function node(state) {
  const draft = await model.invoke("hi"); // effect
  return { ok: interrupt(draft) }; // found
}`,
    `const chain = model.withStructuredOutput({});
async function node(state) {
  const plan = await chain.invoke(state.messages); // effect
  return { ok: interrupt({ plan }) }; // found
}`,
    `async function draft(llm: ChatOpenAI) {
  return await llm.invoke("hi"); // effect
}
async function node(state) {
  const text = await draft(model);
  return { ok: interrupt(text) }; // found
}`,
    `import { generateText } from "ai";
async function node(state) {
  const { text } = await generateText({}); // effect
  return { ok: interrupt(text) }; // found
}`,
    `async function node(state, config) {
  const reply = await config.llm.invoke("hi"); // effect
  return { ok: interrupt(reply) }; // found
}`,
    `async function node(state, { deps }) {
  const wish = await deps.llmService.extract(state.text); // effect
  return { ok: interrupt(wish) }; // found
}`,
  ],
  valid: [
    `async function node(state) {
  const ok = interrupt("ok?");
  return { reply: ok ? await model.invoke("hi") : null };
}`,
    `async function node(state) {
  const draft = await memo("draft", {}, () => model.invoke("hi"));
  return { ok: interrupt(draft) };
}`,
    `async function node(state) {
  const chain = model.withStructuredOutput({});
  const ok = interrupt("ok?");
  return { reply: await chain.invoke(ok) };
}`,
    `async function node(state) {
  const ok = interrupt("ok?");
  return { ok, text: await model.invoke("x") };
}`,
    `const ask = task("ask", async () => model.invoke("x"));
async function node(state) {
  const text = await ask();
  return { ok: interrupt(text) };
}`,
    `async function node(state) {
  const bound = model.bindTools([]);
  const ok = interrupt("ok?");
  return { ok, bound };
}`,
  ],
};
