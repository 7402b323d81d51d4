import type { Position, PositionReference, PositionWait } from "../checkpointer/index.js";
import type { Approval } from "../nodes/approval.js";
import { hidden, jsonLine } from "./terminal-text.js";

/** A position, with what the rows of its approvals add to it. */
export interface ShownPosition extends Omit<Position, "waitingFor"> {
  readonly waitingFor: readonly ShownWait[];
  /** True when values stand as their length only. */
  readonly redacted: boolean;
}

export interface ShownWait extends PositionWait {
  /** Of an approval: the name of what is to be done, and with what. */
  readonly action?: string;
  readonly args?: unknown;
  readonly approvers?: readonly string[];
  /** What an approval allows beside this one action. */
  readonly standsFor?: "run";
}

/** Everything, as it is stored. */
export function fullPosition(position: Position, approvals: readonly Approval[]): ShownPosition {
  const rows = new Map(approvals.map((approval) => [approval.id, approval]));
  const waitingFor = position.waitingFor.map((wait) => {
    const row = wait.id === undefined ? undefined : rows.get(wait.id);
    return row === undefined ? wait : { ...wait, ...detailsOf(row) };
  });
  return { ...position, waitingFor, redacted: false };
}

/**
 * The same with every value hidden: keys, arguments, questions, what messages and errors say, the plan. Names and
 * states stay: of nodes, effects, actions, events, channels, and the todos, which are what a position is read for.
 */
export function redactedPosition(position: Position, approvals: readonly Approval[]): ShownPosition {
  const full = fullPosition(position, approvals);
  const names = new Set(position.effects.map(({ name }) => name));
  return {
    ...full,
    effects: full.effects.map((effect) => ({ ...effect, key: hidden(effect.key) })),
    waitingFor: full.waitingFor.map((wait) => redactedWait(wait, names)),
    ...(full.lastError === undefined
      ? {}
      : { lastError: { name: full.lastError.name, message: hidden(full.lastError.message) } }),
    ...(full.plan === undefined ? {} : { plan: hidden(jsonLine(full.plan)) }),
    references: full.references.map(redactedReference),
    redacted: true,
  };
}

function detailsOf({ action, args, approvers, standsFor }: Approval): Omit<ShownWait, keyof PositionWait> {
  return {
    action,
    args,
    ...(approvers === undefined ? {} : { approvers }),
    ...(standsFor === undefined ? {} : { standsFor }),
  };
}

function redactedWait(wait: ShownWait, effects: ReadonlySet<string>): ShownWait {
  const isName =
    wait.kind === "wait" || wait.what === wait.action || (wait.kind === "question" && isOurs(wait.what, effects));
  return {
    ...wait,
    what: isName ? wait.what : hidden(wait.what),
    ...(wait.reason === undefined ? {} : { reason: hidden(wait.reason) }),
    ...(wait.args === undefined ? {} : { args: hidden(jsonLine(wait.args)) }),
  };
}

/** `waypoint.unknown_effect: refund`: our own words about effects of this very thread. */
function isOurs(what: string, effects: ReadonlySet<string>): boolean {
  const names = /^waypoint\.[a-z_]+: (.+)$/s.exec(what)?.[1];
  return names?.split(", ").every((name) => effects.has(name)) ?? false;
}

/** Who spoke last stays; what was said does not. Nor what an artifact was called: a name may say a lot. */
function redactedReference(reference: PositionReference): PositionReference {
  if (reference.kind === "artifact") {
    return reference.name === undefined ? reference : { ...reference, name: hidden(reference.name) };
  }
  const { newest } = reference;
  if (newest === undefined) return reference;
  const [, who, text] = /^([a-z]+): (.*)$/s.exec(newest) ?? [];
  return { ...reference, newest: who === undefined ? hidden(newest) : `${who}: ${hidden(text ?? "")}` };
}
