import type { Cases } from "../cases.js";

export const cases: Cases = {
  invalid: [
    `new StateGraph({}).addConditionalEdges("a", (state) => (interrupt("where?") ? "b" : "c")); // found`,
    `const route = async (state) => {
  return interrupt("where?"); // found
};
new StateGraph({}).addConditionalEdges("a", route, ["b"]);`,
    `const route = (state) => {
  if (state.done) return "end";
  return interrupt("where?") ? "b" : "c"; // found
};
new StateGraph({}).addConditionalEdges("a", route, { b: "b", c: "c", end: "end" });`,
    `const ask = () => interrupt("where?"); // found
new StateGraph({}).addConditionalEdges("a", () => ask());`,
    `async function route(state) {
  const answer = interrupt("where?"); // found
  return answer === "b" ? "b" : "c";
}
new StateGraph({}).addNode("a", () => ({})).addConditionalEdges("a", route);`,
    `new StateGraph({}).addConditionalEdges(START, function (state) {
  return interrupt("where first?"); // found
});`,
  ],
  valid: [
    `new StateGraph({}).addConditionalEdges("a", (state) => (state.ok ? "b" : "c")).addNode("a", () => ({ ok: interrupt("ok?") }));`,
    `const route = (state) => "b";
new StateGraph({}).addConditionalEdges(START, route);`,
    `new StateGraph({}).addNode("a", () => ({ ok: interrupt("ok?") })).addEdge("a", "b");`,
    `const route = (state) => (state.answer === "yes" ? "b" : "c");
new StateGraph({}).addNode("a", () => ({ answer: interrupt("ok?") })).addConditionalEdges("a", route);`,
    `new StateGraph({}).addNode("a", () => new Command({ goto: interrupt("where?") ? "b" : "c" }));`,
    `const pick = () => interrupt("where?");
export const unused = pick;
new StateGraph({}).addConditionalEdges("a", () => "b");`,
  ],
};
