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
    `async function node(state) {
  for (const call of state.calls) {
    if (!["ask"].includes(call.name)) {
      await state.tools[call.name].invoke(call.args); // effect
      continue;
    }
    state.push(interrupt(call)); // found
  }
  return {};
}`,
    `async function node(state) {
  const queue = [...state.items];
  while (queue.length > 0) {
    const ok = interrupt(queue.pop()); // found
    if (ok) await stripe.refunds.create(ok); // effect
  }
  return {};
}`,
    `async function node(state) {
  let busy = false;
  for (const item of state.items) {
    if (busy) continue;
    const ok = interrupt(item); // found
    if (ok) await stripe.refunds.create(item); // effect
    busy = false;
  }
  return {};
}`,
    `async function ask(state) {
  const ok = interrupt("ok?"); // found
  if (ok) return ok;
  await stripe.refunds.create({}); // effect
  return ask(state);
}`,
  ],
  valid: [
    `async function node(state) {
  let handled = false;
  for (const call of state.calls) {
    if (handled) break;
    if (call.plain) {
      await stripe.refunds.create(call);
      handled = true;
      continue;
    }
    const ok = interrupt(call);
    if (ok) await stripe.refunds.create(call);
    handled = true;
  }
  return {};
}`,
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
    `async function node(state) {
  for (const item of state.items) {
    if (item.free) {
      await stripe.refunds.create(item);
      return {};
    }
    console.log(interrupt(item));
  }
  return {};
}`,
  ],
};
