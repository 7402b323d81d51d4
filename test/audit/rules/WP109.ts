import type { Cases } from "../cases.js";

export const cases: Cases = {
  invalid: [
    `async function node(state) {
  const found = await pool.query("SELECT id FROM tickets WHERE run = 1");
  if (!found.rows.length) await pool.query("INSERT INTO tickets VALUES (1)"); // effect
  return { ok: interrupt("ok?") }; // found
}`,
    `async function node(state) {
  if (!existsSync("sent.marker")) {
    await stripe.refunds.create({}); // effect
  }
  return { ok: interrupt("ok?") }; // found
}`,
    `async function node(state) {
  let ticket;
  const existing = await state.api.findTicket();
  if (existing === null) {
    ticket = await state.api.createTicket(); // effect
  }
  return { ticket, ok: interrupt("ok?") }; // found
}`,
    `async function node(state) {
  const sent = await readFile("sent").catch(() => null);
  if (!sent) await stripe.refunds.create({}); // effect
  return { ok: interrupt("ok?") }; // found
}`,
    `async function node(state) {
  const existing = await state.api.findTicket();
  if (!existing) {
    await state.api.createTicket(); // effect
  }
  return { ok: interrupt("ok?") }; // found
}`,
    `async function node(state) {
  const known = await pool.query("SELECT 1 FROM sent");
  if (known.rows.length === 0) {
    await stripe.refunds.create({}); // effect
  }
  return { ok: interrupt("ok?") }; // found
}`,
  ],
  valid: [
    `async function node(state) {
  if (!state.sent) await stripe.refunds.create({});
  return { sent: true, ok: interrupt("ok?") };
}`,
    `async function node(state) {
  const valid = Boolean(state.order);
  if (!valid) await stripe.refunds.create({});
  return { ok: interrupt("ok?") };
}`,
    `async function node(state) {
  const user = await state.api.findUser();
  if (user) await stripe.refunds.create({});
  return { ok: interrupt("ok?") };
}`,
    `async function node(state) {
  await stripe.refunds.create({});
  return { ok: interrupt("ok?") };
}`,
    `async function node(state) {
  if (!existsSync("sent")) {
    await stripe.refunds.create({});
    return {};
  }
  return { ok: interrupt("ok?") };
}`,
    `async function node(state) {
  const existing = await state.api.findTicket();
  const ok = interrupt("ok?");
  if (!existing) await state.api.createTicket();
  return { ok };
}`,
  ],
};
