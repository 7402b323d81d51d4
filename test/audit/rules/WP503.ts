import type { Cases } from "../cases.js";

export const cases: Cases = {
  invalid: [
    `export const again = new Command({ resume: null }); // found`,
    `export const again = new Command({ resume: "yes", goto: "n" }); // found`,
    `const graph = new StateGraph({}).addNode("n", () => ({ ok: interrupt("ok?") })).addEdge(START, "n");
const app = graph.compile({ checkpointer: new MemorySaver() });
async function main(config) {
  await app.updateState(config, { ok: true });
  await app.invoke(null, config); // found
}`,
    `const graph = new StateGraph({}).addNode("n", () => ({ ok: interrupt("ok?") })).addEdge(START, "n");
const app = graph.compile({ checkpointer: new MemorySaver() });
async function main(config) {
  try {
    await app.invoke({}, config);
  } catch (error) { // found
    if (isGraphInterrupt(error)) return "paused";
    throw error;
  }
}`,
    `export const again = new Command({ resume: undefined }); // found`,
    `export const on = (answer) => new Command({ resume: answer, goto: "other" }); // found`,
  ],
  valid: [
    `export const answer = (command) => new Command({ resume: { [command.id]: command.value } });`,
    `const commandOf = (command) => new Command({ goto: command.goto, resume: command.resume });`,
    `const app = new StateGraph({}).addNode("n", () => ({ ok: interrupt("ok?") })).addEdge(START, "n").compile({ checkpointer: new MemorySaver() });
async function main(config) {
  const fork = await app.updateState(config, { ok: true });
  await app.invoke(null, fork);
}`,
    `export const again = new Command({ resume: { id: "yes" } });`,
    `export const go = new Command({ goto: "n", update: {} });`,
    `const graph = new StateGraph({}).addNode("n", () => ({ ok: interrupt("ok?") })).addEdge(START, "n");
const app = graph.compile({ checkpointer: new MemorySaver() });
async function main(config) {
  try {
    await app.invoke(new Command({ resume: "yes" }), config);
  } catch (error) {
    console.error(error);
  }
}`,
  ],
};
