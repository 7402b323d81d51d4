import type { Cases } from "../cases.js";

export const cases: Cases = {
  invalid: [
    `async function node(state) {
  const text = readFileSync("a", "utf8"); // effect
  return { ok: interrupt(text) }; // found
}`,
    `async function node(state) {
  const { rows } = await pool.query("SELECT * FROM t"); // effect
  if (rows.length === 0) return {};
  return { ok: interrupt("ok?") }; // found
}`,
    `async function node(state) {
  const response = await fetch("https://x"); // effect
  const body = await response.json();
  const ok = interrupt("which?"); // found
  return { chosen: body[ok] };
}`,
    `async function load() {
  return JSON.parse(await readFile("a", "utf8")); // effect
}
async function node(state) {
  const list = await load();
  return { ok: interrupt(list) }; // found
}`,
    `async function node(state) {
  const user = await state.api.getUser(); // effect
  return { ok: interrupt(user) }; // found
}`,
    `import { db } from "./db.js";
async function node(state) {
  const rows = await db.select().from(state.table); // effect
  return { ok: interrupt(rows) }; // found
}`,
  ],
  mild: [
    `async function node(state) {
  for (const name of state.names) {
    const ok = interrupt(name);
    const text = await readFile(name);
    state.use(ok, text);
  }
  return {};
}`,
    `async function node(state) {
  await readFile("a");
  return { ok: interrupt("ok?") };
}`,
    `async function warm() {
  await readFile("a");
}
async function node(state) {
  const done = await warm();
  return { ok: interrupt(done) };
}`,
  ],
  valid: [
    `async function node(state) {
  const ok = interrupt("ok?");
  return { text: await readFile("a", "utf8") };
}`,
    `async function node(state) {
  const text = await memo("text", {}, () => readFile("a", "utf8"));
  return { ok: interrupt(text) };
}`,
    `async function node(state) {
  const parsed = JSON.parse(state.text);
  return { ok: interrupt(parsed) };
}`,
    `async function node(state) {
  const ok = interrupt("ok?");
  return { ok, text: await readFile("a") };
}`,
    `async function node(state) {
  const text = await memo("text", {}, () => readFile("a"));
  return { ok: interrupt(text) };
}`,
    `const load = task("load", async () => readFile("a"));
async function node(state) {
  const text = await load();
  return { ok: interrupt(text) };
}`,
  ],
};
