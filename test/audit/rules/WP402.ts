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
    `async function node(state) {
  if (state.answer) return { skipped: true };
  return { answer: interrupt("ok?") }; // found
}`,
    `async function node(state) {
  if (state.approval) {
    console.log("asked before");
    return {};
  }
  const approval = interrupt({ text: "ok?" }); // found
  return { approval, asked: true };
}`,
    `const node = (state) => {
  if (state.verdict) return {};
  const verdict = interrupt("ok?"); // found
  return new Command({ update: { verdict }, goto: "next" });
};`,
    `async function node(state) {
  if (state.choice) return new Command({ goto: "use" });
  const choice = interrupt("which?"); // found
  return { choice };
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
    `async function node(state) {
  if (state.decision) return {};
  const decision = interrupt("ok?");
  return { decision };
}
const done = () => ({ decision: undefined });`,
    `async function node(state) {
  if (state.other) return {};
  const decision = interrupt("ok?");
  return { decision };
}`,
    `async function node(state) {
  const decision = interrupt("ok?");
  if (state.decision) return {};
  return { decision };
}`,
    `async function node(state) {
  if (state.decision) return {};
  const decision = interrupt("ok?");
  return { approved: decision === "yes" };
}`,
  ],
};
