import type { Cases } from "../cases.js";

export const cases: Cases = {
  invalid: [
    `async function node(state) {
  for (const item of state.items) {
    const ok = interrupt(item); // found
    if (ok) await stripe.refunds.create(item); // effect
  }
  return {};
}`,
    `async function node(state) {
  while (true) {
    const ok = interrupt("ok?"); // found
    if (ok === "done") break;
    await appendFile("log", ok); // effect
  }
  return {};
}`,
    `async function node(state) {
  for (const item of state.items) {
    const ok = interrupt(item); // found
    if (!ok) continue;
    await pay(item);
  }
  return {};
}
async function pay(item) {
  await stripe.refunds.create(item); // effect
}`,
    `async function node(state) {
  state.items.forEach((item) => {
    const ok = interrupt(item); // found
    stripe.refunds.create(ok); // effect
  });
  return {};
}`,
  ],
  valid: [
    `async function node(state) {
  const answers = [];
  for (const item of state.items) answers.push(interrupt(item));
  for (const answer of answers) await stripe.refunds.create(answer);
  return {};
}`,
    `async function node(state) {
  for (const item of state.items) {
    const ok = interrupt(item);
    if (ok) {
      await stripe.refunds.create(item);
      break;
    }
  }
  return {};
}`,
    `async function node(state) {
  for (const item of state.items) {
    const ok = interrupt(item);
    if (ok) return { receipt: await stripe.refunds.create(item) };
  }
  return {};
}`,
    `async function node(state) {
  for (const item of state.items) console.log(interrupt(item));
  return {};
}`,
  ],
};
