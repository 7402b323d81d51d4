import type { Cases } from "../cases.js";

export const cases: Cases = {
  invalid: [
    `async function node(state) {
  try {
    await stripe.refunds.create({}); // effect
  } catch (error) {
    return { ok: interrupt("again?") }; // found
  }
  return {};
}`,
    `async function node(state) {
  let data;
  try {
    data = await fetch("https://x"); // effect
  } catch {
    data = interrupt("give it by hand"); // found
  }
  return { data };
}`,
  ],
  valid: [
    `async function node(state) {
  try {
    JSON.parse(state.text);
  } catch {
    return { ok: interrupt("not JSON; go on?") };
  }
  return {};
}`,
    `async function node(state) {
  let failed = false;
  try {
    await stripe.refunds.create({});
  } catch {
    failed = true;
  }
  return { failed };
}`,
  ],
};
