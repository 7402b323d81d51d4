import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import { detectLoops } from "../../src/guards/index.js";
import type { LoopOptions, Verdict } from "../../src/guards/index.js";

/** One call and its answer. */
export interface Step {
  readonly tool: string;
  readonly args?: unknown;
  readonly answer?: string;
  readonly failed?: boolean;
}

let made = 0;

/** One round: the calls of one message of the model, and their answers. */
export function round(...steps: readonly Step[]): BaseMessage[] {
  const ids = steps.map(() => `call-${(made += 1)}`);
  const calls = steps.map(({ tool, args = {} }, at) => ({
    name: tool,
    args: args as Record<string, unknown>,
    id: ids[at]!,
    type: "tool_call" as const,
  }));
  return [
    new AIMessage({ content: "", id: `ai-${made}`, tool_calls: calls }),
    ...steps.map(
      ({ tool, answer = "", failed = false }, at) =>
        new ToolMessage({
          content: answer,
          name: tool,
          id: `tool-${ids[at]!}`,
          tool_call_id: ids[at]!,
          status: failed ? "error" : "success",
        }),
    ),
  ];
}

export function person(text = "Please go on."): HumanMessage {
  return new HumanMessage({ content: text, id: `human-${(made += 1)}` });
}

/** What summarizationMiddleware leaves in place of the beginning: in a person's role, but nobody said it. */
export function summary(): HumanMessage {
  const fields = { content: "so far", id: `summary-${(made += 1)}`, additional_kwargs: { lc_source: "summarization" } };
  return new HumanMessage(fields);
}

/** So many rounds, each from its number. */
export function rounds(count: number, step: (number: number) => Step | readonly Step[]): BaseMessage[] {
  return Array.from({ length: count }, (_, at) => round(...[step(at)].flat())).flat();
}

/** What is found, as "level detector" per verdict. */
export function levels(messages: readonly unknown[], options?: LoopOptions): string[] {
  return detectLoops(messages, options).map(({ level, detector }) => `${level} ${detector}`);
}

export function reminds(messages: readonly unknown[], options?: LoopOptions): number {
  return detectLoops(messages, options).filter(({ level }) => level === "remind").length;
}

export function trips(messages: readonly unknown[], options?: LoopOptions): number {
  return detectLoops(messages, options).filter(({ level }) => level === "trip").length;
}

/** The number of the round, from 1, in which the first verdict of a level came. */
export function roundOf(level: Verdict["level"], messages: readonly BaseMessage[], options?: LoopOptions): number {
  const first = detectLoops(messages, options).find((verdict) => verdict.level === level);
  if (first === undefined) return Number.POSITIVE_INFINITY;
  return messages.slice(0, first.index + 1).filter((message) => message.type === "ai").length;
}
