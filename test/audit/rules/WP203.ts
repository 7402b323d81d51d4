import type { Cases } from "../cases.js";

export const cases: Cases = {
  invalid: [
    `async function node(state) {
  interrupt("ok?"); // found
  return {};
}`,
    `async function node(state) {
  await interrupt("ok?"); // found
  await stripe.refunds.create({});
}`,
    `async function node(state) {
  const answer = interrupt("ok?"); // found
  return {};
}`,
    `async function node(state) {
  if (state.risky) interrupt({ question: "ok?" }); // found
  return { done: true };
}`,
    `const ask = tool(async () => {
  interrupt("ok?"); // found
  return "done";
}, { name: "ask" });`,
    `async function node(state) {
  const answer = await interrupt("ok?"); // found
  return { done: true };
}`,
  ],
  valid: [
    `async function node(state) {
  return interrupt("ok?");
}`,
    `async function node(state) {
  const { ok } = interrupt("ok?");
  return { ok };
}`,
    `async function node(state) {
  void interrupt("go on?");
  return {};
}`,
    `async function node(state) {
  return new Command({ goto: interrupt("where?") ? "a" : "b" });
}`,
    `async function node(state) {
  return { text: \`said \${interrupt("what?")}\`, first: interrupt(["x"])[0] };
}`,
    `async function node(state) {
  const answer = interrupt("ok?");
  return answer === "yes" ? { ok: true } : {};
}`,
  ],
};
