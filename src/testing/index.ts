export { checkpointerContract } from "./checkpointer/contract.js";
export { checkpointerChild } from "./checkpointer/child.js";
export type { CheckpointerChild, CheckpointerInitializer } from "./checkpointer/initializer.js";
export { resultsOf } from "./results.js";
export type { CheckResult } from "./results.js";
export type { TestRunner } from "./runner.js";
