export { approvalsRouter } from "./approvals-router.js";
export type { ApprovalsRouterOptions } from "./approvals-router.js";
export type { Decider } from "./handlers.js";
