import type { Cases } from "../cases.js";

export const cases: Cases = {
  invalid: [
    `new StateGraph({}).addNode("n", () => ({})).compile({ interruptBefore: ["n"] }); // found`,
    `const graph = new StateGraph({});
const app = graph.compile({ checkpointer: new MemorySaver(), interruptAfter: "*" }); // found`,
    `const app = new StateGraph({}).addNode("n", () => ({})).compile({ checkpointer: new MemorySaver(), interruptBefore: ["n"] }); // found`,
    `const graph = new StateGraph({}).addNode("n", () => ({}));
export const app = graph.compile({
  interruptAfter: ["n"], // found
});`,
    `function build() {
  const graph = new StateGraph({});
  return graph.compile({ interruptBefore: "*" }); // found
}`,
    `const builder = new StateGraph({}).addNode("n", () => ({ ok: interrupt("ok?") }));
builder.compile({ interruptBefore: ["n"] }); // found`,
  ],
  valid: [
    `new StateGraph({}).addNode("n", () => ({})).compile({ checkpointer: new MemorySaver() });`,
    `import { compile } from "./css.js";
compile({ interruptBefore: ["n"] });`,
    `const app = new StateGraph({}).addNode("n", () => ({ ok: interrupt("ok?") })).compile({ checkpointer: new MemorySaver() });`,
    `const options = { interruptBefore: ["n"] };
console.log(options);`,
    `const graph = new StateGraph({});
export const app = graph.compile();`,
    `const sheet = { compile: (options) => options };
sheet.compile({ interruptAfter: ["n"] });`,
  ],
};
