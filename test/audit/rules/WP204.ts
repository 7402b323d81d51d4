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
    `async function node(state) {
  try {
    await pool.query("INSERT INTO t VALUES (1)"); // effect
  } catch (error) {
    const ok = interrupt({ error: String(error) }); // found
    return { ok };
  }
  return {};
}`,
    `async function node(state) {
  let reply;
  try {
    reply = await model.invoke("x"); // effect
  } catch (error) {
    reply = interrupt("the model is away; what now?"); // found
  }
  return { reply };
}`,
    `async function save(state) {
  await state.api.createTicket(); // effect
}
async function node(state) {
  try {
    await save(state);
  } catch {
    return { ok: interrupt("again?") }; // found
  }
  return {};
}`,
    `async function node(state) {
  for (const item of state.items) {
    try {
      await stripe.refunds.create(item); // effect
    } catch {
      console.log(interrupt(item)); // found
    }
  }
  return {};
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
    `async function node(state) {
  try {
    if (interrupt("ok?")) await stripe.refunds.create({});
  } catch (error) {
    throw error;
  }
  return {};
}`,
    `async function node(state) {
  const result = await stripe.refunds.create({}).catch(() => null);
  return { failed: result === null };
}`,
    `async function node(state) {
  try {
    await stripe.refunds.create({});
  } catch (error) {
    return { error: String(error) };
  }
  return { ok: interrupt("ok?") };
}`,
    `async function node(state) {
  try {
    state.shape();
  } catch {
    return { ok: interrupt("again?") };
  }
  return {};
}`,
  ],
};
