import type { CheckpointMetadata } from "@langchain/langgraph-checkpoint";
import { StaleCheckpointError } from "./errors.js";

/** What to do with a checkpoint that does not continue the newest one. */
export type Concurrency = "enforce" | "detect" | "off";

export interface HeadMove {
  readonly threadId: string;
  readonly ns: string;
  /** The newest checkpoint of the namespace; undefined for a new one. */
  readonly head: string | undefined;
  readonly parent: string | undefined;
  readonly id: string;
  readonly source: CheckpointMetadata["source"] | undefined;
  /** Whether a checkpoint of this id is stored already. */
  readonly again: boolean;
  /** Whether it is where new input comes in. */
  readonly bringsInput: boolean;
  /** Whether the run, or the one around it, was told to start from a checkpoint that was an old one already. */
  readonly revisits: boolean;
}

/**
 * True when a checkpoint may become the head of its namespace: it continues the head, or says itself that it does not
 * mean to (a fork, an update of the state, input to an old checkpoint, a beginning without a parent). Of two runs that
 * begin one thread at once, both may begin, and the second beginning is the head: only one of them gets further.
 *
 * What would set the thread back may not: a checkpoint that comes again after the thread has moved on, one that was made
 * before the newest and comes after it, an answer to an old question, which may have come too late.
 */
export function mayAdvance({ head, parent, id, source, again, bringsInput, revisits }: HeadMove): boolean {
  if (again && id !== head) return false;
  if (head === undefined || parent === head || id === head) return true;
  if (id < head) return false;
  if (parent === undefined || source === "fork" || source === "update") return true;
  return bringsInput && revisits;
}

export function staleCheckpoint({
  threadId,
  ns,
  head,
  parent,
  id,
}: Pick<HeadMove, "threadId" | "ns" | "head" | "parent" | "id">): StaleCheckpointError {
  const where = ns === "" ? `thread "${threadId}"` : `thread "${threadId}", namespace "${ns}"`;
  return new StaleCheckpointError(
    `Another run has advanced ${where}: this run continues checkpoint ${parent ?? "(none)"}, the newest is ${head ?? "(none)"}. ` +
      `Its checkpoint was refused, so the thread stays as the other run left it. ` +
      `Read the thread again and resume it from where it is; run one worker per thread at a time.`,
    { details: { threadId, checkpointNs: ns, head, parent, checkpointId: id } },
  );
}

export function deletedThread(threadId: string, ns: string, checkpointId: string | undefined): StaleCheckpointError {
  return new StaleCheckpointError(
    `Thread "${threadId}" was deleted while this run was under way; what the run still brings ` +
      `was refused, so the thread stays deleted. Start it anew with an input, if that is meant.`,
    { details: { threadId, checkpointNs: ns, parent: checkpointId } },
  );
}
