import type { Cases } from "../cases.js";

export const cases: Cases = {
  invalid: [
    `async function node(state) {
  let age;
  while (typeof age !== "number") age = interrupt("age?"); // found
  return { age };
}`,
    `async function node(state) {
  for (;;) {
    const age = interrupt("age?"); // found
    if (age > 0) return { age };
  }
}`,
    `async function node(state) {
  let name;
  do {
    name = interrupt("name?"); // found
  } while (!name);
  return { name };
}`,
    `async function node(state) {
  while (true) {
    const answer = interrupt("ok?"); // found
    if (answer === "yes" || answer === "no") return { answer };
  }
}`,
    `const ask = tool(async () => {
  for (;;) {
    const answer = interrupt("ok?"); // found
    if (answer) return answer;
  }
}, { name: "ask" });`,
    `async function node(state) {
  let tries = 0;
  while (tries < 3) {
    const age = interrupt("age?"); // found
    if (age > 0) return { age };
    tries += 1;
  }
  return {};
}`,
  ],
  valid: [
    `async function node(state) {
  for (const item of state.items) console.log(interrupt(item));
  return {};
}`,
    `async function node(state) {
  const age = interrupt("age?");
  return age > 0 ? { age } : new Command({ goto: "node" });
}`,
    `async function node(state) {
  for (let i = 0; i < 3; i += 1) console.log(interrupt(i));
  return {};
}`,
    `async function node(state) {
  return { all: state.items.map((item) => interrupt(item)) };
}`,
    `async function node(state) {
  while (state.items.length > 0) state.items.pop();
  return { ok: interrupt("ok?") };
}`,
    `async function node(state) {
  while (state.next) {
    const ask = () => interrupt("later?");
    state.next = state.use(ask);
  }
  return {};
}`,
  ],
};
