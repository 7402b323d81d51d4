import type { Cases } from "../cases.js";

export const cases: Cases = {
  invalid: [
    `new StateGraph({}).addConditionalEdges("a", (state) => (interrupt("where?") ? "b" : "c")); // found`,
    `const route = async (state) => {
  return interrupt("where?"); // found
};
new StateGraph({}).addConditionalEdges("a", route, ["b"]);`,
  ],
  valid: [
    `new StateGraph({}).addConditionalEdges("a", (state) => (state.ok ? "b" : "c")).addNode("a", () => ({ ok: interrupt("ok?") }));`,
    `const route = (state) => "b";
new StateGraph({}).addConditionalEdges(START, route);`,
  ],
};
