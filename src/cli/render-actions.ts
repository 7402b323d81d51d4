import type { Colors } from "./colors.js";
import { aligned, cell } from "./layout.js";
import type { Line } from "./layout.js";
import { moment } from "./moments.js";
import { effectColor } from "./render-position.js";
import type { ShownAction, ShownAttempt, ShownError } from "./shown-actions.js";

export interface ActionsOfThread {
  readonly threadId: string;
  readonly redacted: boolean;
  readonly actions: readonly ShownAction[];
}

/** The effects of a thread, each with its attempts and what is known of them; every text in it is escaped. */
export function renderActions({ threadId, redacted, actions }: ActionsOfThread, colors: Colors): string {
  if (actions.length === 0) return aligned([[cell(threadId, colors.bold), cell("no effects")]]).join("\n");
  const blocks = actions.map((action) => renderAction(action, colors).join("\n"));
  const note = redacted ? [colors.dim("Values are hidden; --no-redact shows them.")] : [];
  return [...blocks, ...note].join("\n\n");
}

function renderAction(action: ShownAction, colors: Colors): string[] {
  const { name, state, since, id, key, args, approvalId, evidence, error, attempts } = action;
  const facts = [
    ["key", key],
    ["with", args],
    ...(approvalId === undefined ? [] : [["approval", approvalId]]),
    ...(error === undefined ? [] : [["error", textOf(error)]]),
    ...(evidence === undefined ? [] : [["evidence", evidence]]),
  ] as [string, string][];
  return [
    ...aligned([
      [
        cell(name, colors.cyan),
        cell(state, effectColor(state, colors)),
        cell(`since ${moment(since)}`),
        cell(id, colors.dim),
      ],
    ]),
    ...indented(facts.map(([label, text]) => [cell(label, colors.dim), cell(text)])),
    ...indented(attempts.map((attempt) => attemptLine(attempt, colors))),
  ];
}

function attemptLine(
  { number, startedAt, endedAt, outcome, evidence, error, late }: ShownAttempt,
  colors: Colors,
): Line {
  const known = [
    ...(error === undefined ? [] : [textOf(error)]),
    ...(evidence === undefined ? [] : [evidence]),
    ...(late === undefined ? [] : [`late: ${late}`]),
  ];
  return [
    cell(`attempt ${number}`, colors.dim),
    cell(outcome, outcome === "succeeded" ? colors.green : colors.yellow),
    cell(`${moment(startedAt)} to ${endedAt === undefined ? "?" : moment(endedAt)}`),
    cell(known.join("; ")),
  ];
}

function textOf({ name, message }: ShownError): string {
  return `${name}: ${message}`;
}

function indented(lines: readonly Line[]): string[] {
  return aligned(lines).map((line) => `  ${line}`);
}
