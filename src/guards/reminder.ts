import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import { hintFor } from "./hints.js";
import type { LoopState } from "./loop-state.js";
import type { Settings } from "./options.js";
import { preview } from "./preview.js";
import { GUARD_NAME, identityOf, kindOf, MARK, recordOf } from "./transcript.js";
import type { LooseMessage } from "./transcript.js";
import { occurrencesOf } from "./tried.js";
import type { Verdict } from "./verdict.js";

/** What a reminder is made from. */
export interface ReminderContext {
  readonly messages: readonly BaseMessage[];
  readonly settings: Settings;
  readonly planItem?: string | undefined;
}

/** The text that tells a model that it repeats itself: deterministic, about 100 words, whatever tools and models wrote. */
export function reminderText(verdict: Verdict, { messages, settings, planItem }: ReminderContext): string {
  const { tool, evidence } = verdict;
  const about = occurrencesOf(verdict, messages, settings);
  const lines = [
    `${whatHappens(verdict)} Call: ${quoted(tool, 60)} ${quoted(about.argsPreview, 120)}.`,
    evidence.firstError === undefined ? "" : `First error (${verdict.class}): ${quoted(evidence.firstError, 120)}.`,
    verdict.detector === "varying" ? `Tried: ${about.tried.map(({ args }) => quoted(args, 40)).join("; ")}.` : "",
    hintFor(verdict),
    planItem === undefined
      ? ""
      : `Plan item at hand: ${quoted(planItem, 100)}. Go on with it another way, or revise the plan.`,
    "If this is progress, carry on. If you cannot go on, say what blocks you and ask.",
  ];
  const body = lines.filter((line) => line !== "").join("\n");
  return `<system-reminder>\n${body}\n</system-reminder>`;
}

function whatHappens({ detector, count, evidence }: Verdict): string {
  switch (detector) {
    case "cycle":
      return `You go in a circle of ${evidence.period ?? 2} calls, with the same results each time (${count} times).`;
    case "varying":
      return `One tool has failed alike with ${count} different arguments.`;
    case "unknownTool":
      return `Tools that do not exist were called ${count} times.`;
    case "schema":
      return `Arguments of this tool were refused ${count} times.`;
    case "rejection":
      return `A person has rejected calls of this tool ${count} times.`;
    case "transient":
      return `The service behind this call was not available ${count} times.`;
    case "poll":
      return `Nothing has changed in ${count} checks.`;
    case "repeat":
      return `The same call had the same outcome ${count} times.`;
  }
}

/** Text of a model or tool inside of ours: on one line, short, and unable to open or close a tag. */
export function quoted(text: string, most: number): string {
  return `"${preview(text, most).replaceAll("<", "‹").replaceAll(">", "›").replaceAll('"', "'")}"`;
}

/**
 * The messages for a model's request, with the reminder on the last tool message when one is due. The given list and its
 * messages stay as they are.
 */
export function remindedMessages(state: LoopState, context: ReminderContext): BaseMessage[] {
  const messages = [...context.messages];
  const due = dueReminder(state, messages);
  if (due === undefined) return messages;
  const last = messages.at(-1);
  const text = reminderText(due, context);
  if (ToolMessage.isInstance(last)) messages[messages.length - 1] = withText(last, text, false);
  else messages.push(new HumanMessage({ content: text, name: GUARD_NAME }));
  return messages;
}

/** The verdict whose reminder belongs into a request with these messages: it is about the newest round. */
export function dueReminder({ reminder }: LoopState, messages: readonly unknown[]): Verdict | undefined {
  if (reminder === null) return undefined;
  const list = messages as readonly (LooseMessage | null | undefined)[];
  const at = list.findLastIndex((message) => identityOf(message) === reminder.on);
  if (at < 0 || isMarked(list[at])) return undefined;
  const later = list.slice(at + 1);
  return later.some((message) => ["ai", "human"].includes(kindOf(message))) ? undefined : reminder.verdict;
}

function isMarked(message: LooseMessage | null | undefined): boolean {
  return recordOf(message?.additional_kwargs)[MARK] !== undefined;
}

/** The last tool message as it is stored when the reminder is to stay; it keeps its id and so replaces the original. */
export function persistedReminder(state: LoopState, context: ReminderContext): ToolMessage | undefined {
  const due = dueReminder(state, context.messages);
  const last = context.messages.at(-1);
  if (due === undefined || !ToolMessage.isInstance(last) || isMarked(last)) return undefined;
  return withText(last, reminderText(due, context), true);
}

/** A copy with a text more; `marked` says in the copy which part of it is ours. */
function withText(message: ToolMessage, text: string, marked: boolean): ToolMessage {
  const { content } = message;
  const added = Array.isArray(content) ? [...content, { type: "text" as const, text }] : `${content}\n\n${text}`;
  const fields = fieldsOf(message, marked ? { [MARK]: text } : {});
  return new ToolMessage({ ...fields, content: added } as ToolFields);
}

type ToolFields = ConstructorParameters<typeof ToolMessage>[0];

interface CopiedFields {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly status?: string | undefined;
  readonly artifact?: unknown;
  readonly metadata?: unknown;
  readonly tool_call_id: string;
  readonly additional_kwargs: Record<string, unknown>;
  readonly response_metadata: unknown;
}

function fieldsOf(message: ToolMessage, marks: Record<string, unknown>): CopiedFields {
  const { id, name, status, artifact, metadata, tool_call_id, additional_kwargs, response_metadata } =
    message as CopiedFields;
  const kwargs = { ...additional_kwargs, ...marks };
  return { id, name, status, artifact, metadata, tool_call_id, additional_kwargs: kwargs, response_metadata };
}
