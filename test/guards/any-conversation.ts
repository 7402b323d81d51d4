import type { BaseMessage } from "@langchain/core/messages";
import fc from "fast-check";
import { person, round } from "./conversation.js";

/** Conversations that repeat themselves often enough to be found. */
export const conversation = fc
  .array(
    fc.oneof(
      { weight: 12, arbitrary: fc.array(stepOf(), { minLength: 1, maxLength: 3 }) },
      { weight: 1, arbitrary: fc.constant("person" as const) },
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.flatMap((part): BaseMessage[] => (part === "person" ? [person()] : round(...part))));

function stepOf() {
  return fc.record({
    tool: fc.constantFrom("read", "ls", "job_status"),
    args: fc.constantFrom({}, { n: 1 }, { n: 2 }),
    answer: fc.constantFrom("same", "same", "other", "429 too many requests", "user rejected the call"),
    failed: fc.boolean(),
  });
}
