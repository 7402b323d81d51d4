import type { Cases } from "../cases.js";

export const cases: Cases = {
  invalid: [
    `new StateGraph({}).addNode("n", () => ({})).compile({ interruptBefore: ["n"] }); // found`,
    `const graph = new StateGraph({});
const app = graph.compile({ checkpointer: new MemorySaver(), interruptAfter: "*" }); // found`,
  ],
  valid: [
    `new StateGraph({}).addNode("n", () => ({})).compile({ checkpointer: new MemorySaver() });`,
    `import { compile } from "./css.js";
compile({ interruptBefore: ["n"] });`,
  ],
};
