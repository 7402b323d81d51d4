import type { Cases } from "../cases.js";

export const cases: Cases = {
  invalid: [
    `async function node(state) {
  const a = interrupt("a?");
  await stripe.refunds.create(a); // effect
  const b = interrupt("b?"); // found
  return { a, b };
}`,
    `async function node(state) {
  const a = interrupt("a?");
  if (a) await appendFile("log", a); // effect
  return { a, b: interrupt("b?") }; // found
}`,
    `const ask = (text) => interrupt(text); // found
async function node(state) {
  const a = ask("a?");
  await stripe.refunds.create(a); // effect
  return { a, b: ask("b?") };
}`,
    `async function pay(a) {
  await stripe.refunds.create(a); // effect
}
async function node(state) {
  const a = interrupt("a?");
  await pay(a);
  return { a, b: interrupt("b?") }; // found
}`,
    `async function node(state) {
  const a = await requestApproval({ action: "a", args: {} });
  await stripe.refunds.create({}); // effect
  return { a, b: interrupt("b?") }; // found
}`,
    `async function node(state) {
  const a = interrupt("a?");
  if (a) await stripe.refunds.create({}); // effect
  const b = interrupt("b?"); // found
  return { a, b };
}`,
  ],
  valid: [
    `async function node(state) {
  await stripe.refunds.create({});
  const a = interrupt("a?");
  return { a, b: interrupt("b?") };
}`,
    `async function node(state) {
  const a = interrupt("a?");
  const b = interrupt("b?");
  await stripe.refunds.create(b);
  return { a, b };
}`,
    `async function node(state) {
  const a = interrupt("a?");
  if (!a) {
    await stripe.refunds.create(a);
    return {};
  }
  return { a, b: interrupt("b?") };
}`,
    `const pay = task("pay", async () => stripe.refunds.create({}));
async function node(state) {
  const a = interrupt("a?");
  await pay();
  return { a, b: interrupt("b?") };
}`,
    `async function node(state) {
  const a = interrupt("a?");
  const b = interrupt("b?");
  await stripe.refunds.create({ a, b });
  return {};
}`,
    `async function node(state) {
  const a = interrupt("a?");
  if (!a) {
    await stripe.refunds.create({});
    return {};
  }
  return { b: interrupt("b?") };
}`,
  ],
};
