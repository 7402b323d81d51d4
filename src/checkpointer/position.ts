import type {
  Checkpoint,
  CheckpointMetadata,
  CheckpointPendingWrite,
  CheckpointTuple,
} from "@langchain/langgraph-checkpoint";
import { CONTROL, isUserChannel, scheduledNodes } from "../shared/langgraph.js";
import type { ArtifactInfo } from "./artifact.js";
import type { ApprovalSummary, EffectSummary, WaitSummary } from "../store/sqlite/overview.js";
import { asJson, waitingFor } from "./waiting-for.js";
import type { AskedQuestion, PositionWait } from "./waiting-for.js";

export type { PositionWait } from "./waiting-for.js";

/**
 * Where a thread stands, in what a person can read: what cannot be rebuilt, and references to the rest.
 *
 * `state` is `working` (something is to run: it runs now, or the process died), `waiting` (for a person or an event),
 * `failed` (a node threw; invoking again tries it again) or `done`.
 */
export interface Position {
  readonly threadId: string;
  readonly state: "working" | "waiting" | "failed" | "done";
  /** Number of the superstep, as LangGraph counts: −1 is the input. */
  readonly step: number;
  readonly checkpointId: string;
  readonly updatedAt: string;
  /** Nodes that run next. */
  readonly next: string[];
  /** Nodes that have run, in the order in which each ran last. */
  readonly done: string[];
  /** Effects on the outside world, oldest first. */
  readonly effects: PositionEffect[];
  /** Empty while `waiting`: all that was asked is decided, or due, and `resume(app, config)` goes on. */
  readonly waitingFor: PositionWait[];
  readonly lastError?: { readonly name: string; readonly message: string };
  readonly todos: PositionTodo[];
  readonly plan?: unknown;
  /** Where the luggage is: channels that hold some, and then artifacts, oldest first. */
  readonly references: PositionReference[];
}

export interface PositionEffect {
  readonly id: string;
  readonly name: string;
  readonly key: string;
  readonly state: string;
  readonly attempts: number;
  readonly since: string;
}

export interface PositionTodo {
  readonly content: string;
  readonly status: string;
}

export type PositionReference = PositionChannel | PositionArtifact;

export interface PositionChannel {
  readonly kind: "channel";
  readonly channel: string;
  /** Number of items, where the channel is a list or a record. */
  readonly items: number | undefined;
  /** The newest item in a few words, where it is a message. */
  readonly newest: string | undefined;
}

/** `getArtifact(ref, { threadId })` brings its content. */
export interface PositionArtifact extends ArtifactInfo {
  readonly kind: "artifact";
}

/** Where todos and plan stand in the state, for graphs that keep them elsewhere than in `todos` and `plan`. */
export interface PositionSelectors {
  readonly todos?: (values: Record<string, unknown>) => unknown;
  readonly plan?: (values: Record<string, unknown>) => unknown;
}

export interface PositionSource {
  readonly threadId: string;
  readonly tuple: CheckpointTuple;
  readonly effects: readonly EffectSummary[];
  readonly approvals: readonly ApprovalSummary[];
  readonly artifacts: readonly ArtifactInfo[];
  /** Waits that are not over yet. */
  readonly waits: readonly WaitSummary[];
  readonly selectors: PositionSelectors;
}

/** What a checkpoint's writes leave open: questions that are asked, and an error that stopped a task. */
function openIn(pendingWrites: readonly CheckpointPendingWrite[]): { questions: AskedQuestion[]; error: unknown } {
  const finished = new Set(pendingWrites.filter(([, channel]) => isResult(channel)).map(([task]) => task));
  const open = pendingWrites.filter(([task]) => !finished.has(task));
  const asked = open.filter(([, channel]) => channel === CONTROL.interrupt);
  return {
    questions: asked.flatMap(([, , value]) => interrupts(value)),
    error: open.findLast(([, channel]) => channel === CONTROL.error)?.[2],
  };
}

/** Why a thread stands still, as the writes of its newest checkpoint say; undefined when they do not hold it up. */
export function heldUpBy(pendingWrites: readonly CheckpointPendingWrite[]): "waiting" | "failed" | undefined {
  const { questions, error } = openIn(pendingWrites);
  if (questions.length > 0) return "waiting";
  return error === undefined ? undefined : "failed";
}

/** The state of a thread whose newest checkpoint in the root namespace this is. */
export function stateOf({
  checkpoint,
  pendingWrites = [],
}: Pick<CheckpointTuple, "checkpoint" | "pendingWrites">): Position["state"] {
  return heldUpBy(pendingWrites) ?? (scheduledNodes(checkpoint).length > 0 ? "working" : "done");
}

/** A pure function of what is stored. */
export function positionOf({
  threadId,
  tuple,
  effects,
  approvals,
  artifacts,
  waits,
  selectors,
}: PositionSource): Position {
  const { checkpoint, metadata, pendingWrites = [] } = tuple;
  const values = checkpoint.channel_values;
  const { questions, error } = openIn(pendingWrites);
  const plan = selectors.plan === undefined ? values.plan : selectors.plan(values);
  return {
    threadId,
    state: stateOf(tuple),
    step: (metadata as Partial<CheckpointMetadata> | undefined)?.step ?? -1,
    checkpointId: checkpoint.id,
    updatedAt: checkpoint.ts,
    next: scheduledNodes(checkpoint),
    done: nodesDone(checkpoint),
    effects: effects.map((effect) => ({
      id: effect.id,
      name: effect.name,
      key: effect.key,
      state: effect.state,
      attempts: effect.attempts,
      since: iso(effect.since),
    })),
    waitingFor: waitingFor(questions, approvals, effects, waits),
    ...(error === undefined ? {} : { lastError: errorOf(error) }),
    todos: todosOf(selectors.todos === undefined ? values.todos : selectors.todos(values)),
    ...(plan === undefined ? {} : { plan }),
    references: [
      ...Object.entries(values).flatMap(([channel, value]) => referenceOf(channel, value)),
      ...artifacts.map((info): PositionArtifact => ({ kind: "artifact", ...info })),
    ],
  };
}

function isResult(channel: string): boolean {
  return channel !== CONTROL.interrupt && channel !== CONTROL.error && channel !== CONTROL.resume;
}

function nodesDone(checkpoint: Checkpoint): string[] {
  return Object.entries(checkpoint.versions_seen)
    .filter(([node]) => !node.startsWith("__"))
    .map(([node, versions]) => ({ node, at: Math.max(0, ...Object.values(versions).map(Number)) }))
    .sort((a, b) => a.at - b.at)
    .map(({ node }) => node);
}

function interrupts(write: unknown): AskedQuestion[] {
  const items = Array.isArray(write) ? (write as unknown[]) : [write];
  return items.map((item) => {
    const { id, value } = (item ?? {}) as { id?: string; value?: unknown };
    return { id, value };
  });
}

function errorOf(error: unknown): { name: string; message: string } {
  const { name, message } = (error ?? {}) as { name?: unknown; message?: unknown };
  return { name: typeof name === "string" ? name : "Error", message: typeof message === "string" ? message : "" };
}

function todosOf(todos: unknown): PositionTodo[] {
  if (!Array.isArray(todos)) return [];
  return todos.map((todo: unknown) => {
    const { content, status } = (todo ?? {}) as { content?: unknown; status?: unknown };
    return {
      content: typeof content === "string" ? content : asJson(todo ?? null),
      status: typeof status === "string" ? status : "",
    };
  });
}

const NEWEST_CHARACTERS = 120;

function referenceOf(channel: string, value: unknown): PositionChannel[] {
  if (!isUserChannel(channel) || typeof value !== "object" || value === null) return [];
  if (value instanceof Map || value instanceof Set)
    return [{ kind: "channel", channel, items: value.size, newest: undefined }];
  if (!Array.isArray(value)) {
    return [{ kind: "channel", channel, items: Object.keys(value).length, newest: undefined }];
  }
  const last = (value as unknown[]).at(-1) as { text?: unknown; type?: unknown } | undefined;
  const text = typeof last?.text === "string" ? `${String(last.type)}: ${last.text}` : undefined;
  return [{ kind: "channel", channel, items: value.length, newest: text?.slice(0, NEWEST_CHARACTERS) }];
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
