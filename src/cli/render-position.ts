import type { Position, PositionEffect, PositionReference, PositionTodo } from "../checkpointer/index.js";
import { standing } from "../nodes/approval-question.js";
import { byteSize } from "./byte-sizes.js";
import type { Colors } from "./colors.js";
import { aligned, cell, page } from "./layout.js";
import type { Line, Paint, Section } from "./layout.js";
import { fromNow, moment } from "./moments.js";
import type { ShownPosition, ShownWait } from "./shown-position.js";
import { jsonLine } from "./terminal-text.js";

export interface RenderOptions {
  readonly colors: Colors;
  /** Milliseconds since the epoch: until when something may be decided is told from it. */
  readonly now: number;
}

/** A thread's position as a person reads it; every text in it is escaped for terminals. */
export function renderPosition(position: ShownPosition, { colors, now }: RenderOptions): string {
  const sections: Section[] = [
    { name: "done", lines: position.done.length === 0 ? [] : [[cell(position.done.join(", "))]] },
    { name: "next", lines: position.next.length === 0 ? [] : [[cell(position.next.join(", "))]] },
    { name: "todos", lines: position.todos.map((todo) => todoLine(todo, colors)) },
    { name: "plan", lines: position.plan === undefined ? [] : [[cell(asText(position.plan))]] },
    { name: "effects", lines: position.effects.flatMap((effect) => effectLines(effect, colors)) },
    { name: "waiting for", lines: waitingLines(position, colors, now) },
    { name: "last error", lines: errorLines(position, colors) },
    { name: "references", lines: position.references.flatMap((reference) => channelLines(reference, colors)) },
    { name: "artifacts", lines: position.references.flatMap((reference) => artifactLines(reference, colors)) },
  ];
  return [
    ...aligned([titleLine(position, colors)]),
    ...aligned([[cell(`step ${position.step}, ${moment(position.updatedAt)}`, colors.dim)]]),
    "",
    ...page(sections, colors.bold),
    ...(position.redacted ? ["", colors.dim("Values are hidden; --no-redact shows them.")] : []),
  ].join("\n");
}

function titleLine({ threadId, state }: ShownPosition, colors: Colors): Line {
  return [cell(threadId, colors.bold), cell(state, stateColor(state, colors))];
}

export function stateColor(state: Position["state"], colors: Colors): Paint {
  switch (state) {
    case "working":
      return colors.cyan;
    case "waiting":
      return colors.yellow;
    case "failed":
      return colors.red;
    case "done":
      return colors.green;
  }
}

const TODO_MARKS: Readonly<Record<string, string>> = { completed: "✓", in_progress: "▸", pending: "·" };

function todoLine({ content, status }: PositionTodo, colors: Colors): Line {
  const paint = status === "completed" ? colors.dim : String;
  return [cell(`${TODO_MARKS[status] ?? status} ${content}`, paint)];
}

/** The colour of an effect's state: what is open stands out. */
export function effectColor(state: string, colors: Colors): Paint {
  if (state === "SUCCEEDED") return colors.green;
  return state === "FAILED" || state === "COMPENSATION_FAILED" ? colors.red : colors.yellow;
}

function effectLines({ id, name, key, state, attempts, since }: PositionEffect, colors: Colors): Line[] {
  return [
    [
      cell(name, colors.cyan),
      cell(state, effectColor(state, colors)),
      cell(`${attempts} ${attempts === 1 ? "attempt" : "attempts"}`),
      cell(`since ${moment(since)}`),
    ],
    [cell(""), cell(`${id}, key ${key}`, colors.dim)],
  ];
}

function waitingLines({ state, waitingFor }: ShownPosition, colors: Colors, now: number): Line[] {
  if (state === "waiting" && waitingFor.length === 0) {
    return [[cell("resume(app, config): all that was asked is decided or due", colors.yellow)]];
  }
  return waitingFor.flatMap((wait) => waitLines(wait, colors, now));
}

function waitLines(wait: ShownWait, colors: Colors, now: number): Line[] {
  const { kind, id, what, action, args, approvers, reason, standsFor } = wait;
  const until = wait.decideBy ?? wait.until;
  const details = [
    ...(args === undefined ? [] : [cell(`with ${asText(args)}`)]),
    ...(action === undefined || action === what ? [] : [cell(`summary: ${what}`)]),
    ...(reason === undefined ? [] : [cell(`because ${reason}`)]),
    ...(until === undefined ? [] : [cell(`until ${moment(until)} (${fromNow(until, now)})`)]),
    ...(approvers === undefined ? [] : [cell(`by ${approvers.join(" or ")}`)]),
    ...(standsFor === undefined ? [] : [cell(standing(action ?? what), colors.yellow)]),
    ...(id === undefined ? [] : [cell(id, colors.dim)]),
  ];
  const title = [cell(kind, colors.yellow), cell(action ?? what, colors.bold)];
  return [title, ...details.map((detail) => [cell(""), detail])];
}

function errorLines({ lastError }: ShownPosition, colors: Colors): Line[] {
  if (lastError === undefined) return [];
  return [[cell(`${lastError.name}: ${lastError.message}`, colors.red)]];
}

function channelLines(reference: PositionReference, colors: Colors): Line[] {
  if (reference.kind !== "channel") return [];
  const { channel, items, newest } = reference;
  return [
    [
      cell(channel),
      cell(items === undefined ? "" : `${items} ${items === 1 ? "item" : "items"}`),
      cell(newest === undefined ? "" : `newest ${newest}`, colors.dim),
    ],
  ];
}

function artifactLines(reference: PositionReference, colors: Colors): Line[] {
  if (reference.kind !== "artifact") return [];
  const { ref, name, mediaType, bytes } = reference;
  return [
    [cell(name ?? "(no name)", name === undefined ? colors.dim : colors.cyan), cell(mediaType), cell(byteSize(bytes))],
    [cell(""), cell(ref, colors.dim)],
  ];
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : jsonLine(value);
}
