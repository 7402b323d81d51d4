import type { LoopOptions } from "./options.js";
import { listOf, recordOf } from "./transcript.js";

/** The plan item that is being worked on: what `plan` says, else the `in_progress` one of langchain's `todos`. */
export function planItemOf(
  state: Readonly<Record<string, unknown>>,
  { plan }: Pick<LoopOptions, "plan">,
): string | undefined {
  try {
    if (plan !== undefined) return plan(state);
  } catch {
    return undefined;
  }
  const todos = listOf(state.todos).map((todo) => recordOf(todo));
  const open = todos.find(({ status }) => status === "in_progress") ?? todos.find(({ status }) => status === "pending");
  return typeof open?.content === "string" ? open.content : undefined;
}
