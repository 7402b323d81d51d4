import { isInterrupted, INTERRUPT } from "@langchain/langgraph";
import type { ActionRequest, HITLRequest } from "langchain";

/** The actions that a run stopped to ask about, as a front end reads them. */
export function questionsOf(result: unknown): ActionRequest[] {
  if (!isInterrupted<HITLRequest>(result)) return [];
  return result[INTERRUPT].flatMap(({ value }) => value?.actionRequests ?? []);
}
