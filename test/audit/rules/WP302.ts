import type { Cases } from "../cases.js";

export const cases: Cases = {
  invalid: [
    `async function node(state) {
  const [a, b] = await Promise.all([ask("a?"), ask("b?")]);
  return { a, b };
}
async function ask(text) {
  return interrupt(text); // found
}`,
    `async function node(state) {
  return { all: await Promise.all(state.items.map(async (item) => interrupt(item))) }; // found
}`,
    `async function node(state) {
  ask("a?");
  return {};
}
async function ask(text) {
  return interrupt(text); // found
}`,
    `async function node(state) {
  const asked = [];
  for (const item of state.items) asked.push(ask(item));
  return { all: await Promise.all(asked) };
}
async function ask(text) {
  return interrupt(text); // found
}`,
    `async function node(state) {
  const [a, b] = await Promise.allSettled([ask("a?"), ask("b?")]);
  return { a, b };
}
async function ask(text) {
  return interrupt(text); // found
}`,
    `async function node(state) {
  void ask("a?");
  return {};
}
async function ask(text) {
  return interrupt(text); // found
}`,
  ],
  valid: [
    `async function node(state) {
  const a = await ask("a?");
  const b = await ask("b?");
  return { a, b };
}
async function ask(text) {
  return interrupt(text);
}`,
    `async function node(state) {
  const [a, b] = await Promise.all([readFile("a"), readFile("b")]);
  return { ok: interrupt("ok?") };
}`,
    `async function node(state) {
  return { all: state.items.map((item) => interrupt(item)) };
}`,
    `async function node(state) {
  const all = [];
  for (const item of state.items) all.push(await ask(item));
  return { all };
}
async function ask(text) {
  return interrupt(text);
}`,
    `async function node(state) {
  const [ok, text] = await Promise.all([ask("a?"), readFile("a")]);
  return { ok, text };
}
async function ask(text) {
  return interrupt(text);
}`,
    `async function node(state) {
  await Promise.all(state.items.map((item) => readFile(item)));
  return { ok: interrupt("ok?") };
}`,
  ],
};
