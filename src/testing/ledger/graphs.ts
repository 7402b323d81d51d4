import { resume, type ResumableGraph, type ResumeResult } from "../../nodes/resume.js";

/** Where a thread of the contract runs. */
export function on(threadId: string): { configurable: { thread_id: string } } {
  return { configurable: { thread_id: threadId } };
}

export async function begin(app: ResumableGraph, threadId: string): Promise<void> {
  await app.invoke({} as never, on(threadId) as never);
}

/** Continues a thread of which nothing is known but what the stores say. */
export async function goOn(
  app: ResumableGraph,
  threadId: string,
  answers: Readonly<Record<string, unknown>> = {},
): Promise<ResumeResult<unknown>> {
  return (await resume(app, on(threadId), answers)) as ResumeResult<unknown>;
}
