import type { RunningTask } from "../shared/langgraph.js";

/** One scheduled run of a node, or one tool call in it, through all its re-runs. */
export interface Visit {
  readonly threadId: string;
  readonly checkpointNs: string;
  readonly taskId: string;
  readonly toolCallId?: string;
  /** LangGraph's task id; in a tool, with the tool call's id behind it. */
  readonly id: string;
  readonly inTool: boolean;
}

/** The visit that a running task is. */
export function visitOf({ threadId, checkpointNs, taskId, toolCallId, inTool }: RunningTask): Visit {
  const where = { threadId, checkpointNs, taskId, inTool };
  return toolCallId === undefined ? { ...where, id: taskId } : { ...where, toolCallId, id: `${taskId}/${toolCallId}` };
}
