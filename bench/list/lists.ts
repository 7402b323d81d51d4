import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { SlimSaver } from "../../src/checkpointer/index.js";
import { compileLoop } from "../growth/graph.js";
import type { MessagesChannel } from "../growth/graph.js";

/** The thread whose checkpoints are listed. */
export const LONG_THREAD = "long";
/** What a page of threads, and the newest part of a history, hold. */
export const THREADS_A_PAGE = 50;
export const NEWEST = 10;
/** The most that `listThreads` gives at once. */
const LARGEST_PAGE = 1000;

const HISTORY = { configurable: { thread_id: LONG_THREAD } };

export interface Listing {
  readonly title: string;
  /** Which of the two databases it reads. */
  readonly of: "threads" | "turns";
  /** How many rows it lists, as far as there are so many. */
  readonly most: number;
  /** Lists them; returns what it found, by an id that no two rows share. */
  list(checkpointer: BaseCheckpointSaver, channel: MessagesChannel): Promise<string[]>;
}

/** Everything that is listed, in the order of the table. */
export const LISTINGS = {
  threadsPage: {
    title: `threads, first ${THREADS_A_PAGE}`,
    of: "threads",
    most: THREADS_A_PAGE,
    list: (checkpointer) => threads(checkpointer, THREADS_A_PAGE),
  },
  threadsAll: {
    title: "threads, all",
    of: "threads",
    most: Infinity,
    list: (checkpointer) => threads(checkpointer, Infinity),
  },
  historyNewest: {
    title: `getStateHistory, ${NEWEST}`,
    of: "turns",
    most: NEWEST,
    list: (checkpointer, channel) => history(checkpointer, channel, NEWEST),
  },
  historyAll: {
    title: "getStateHistory, all",
    of: "turns",
    most: Infinity,
    list: (checkpointer, channel) => history(checkpointer, channel, undefined),
  },
  checkpointsNewest: {
    title: `list, ${NEWEST}`,
    of: "turns",
    most: NEWEST,
    list: (checkpointer) => checkpoints(checkpointer, NEWEST),
  },
  checkpointsAll: {
    title: "list, all",
    of: "turns",
    most: Infinity,
    list: (checkpointer) => checkpoints(checkpointer, undefined),
  },
} as const satisfies Record<string, Listing>;

export type ListingName = keyof typeof LISTINGS;
export const LISTING_NAMES = Object.keys(LISTINGS) as ListingName[];

/** SlimSaver lists threads; with every other saver they are what its checkpoints name. */
async function threads(checkpointer: BaseCheckpointSaver, most: number): Promise<string[]> {
  return checkpointer instanceof SlimSaver ? listedThreads(checkpointer, most) : namedThreads(checkpointer, most);
}

async function listedThreads(checkpointer: SlimSaver, most: number): Promise<string[]> {
  const found: string[] = [];
  let after: string | undefined;
  do {
    const limit = Math.min(most - found.length, LARGEST_PAGE);
    const page = await checkpointer.listThreads({ limit, ...(after !== undefined && { cursor: after }) });
    found.push(...page.threads.map(({ threadId }) => threadId));
    after = page.cursor;
  } while (after !== undefined && found.length < most);
  return found;
}

async function namedThreads(checkpointer: BaseCheckpointSaver, most: number): Promise<string[]> {
  const found = new Set<string>();
  for await (const { config } of checkpointer.list({})) {
    found.add(config.configurable!.thread_id as string);
    if (found.size >= most) break;
  }
  return [...found];
}

async function history(
  checkpointer: BaseCheckpointSaver,
  channel: MessagesChannel,
  limit: number | undefined,
): Promise<string[]> {
  const app = compileLoop(checkpointer, channel, () => "");
  const found: string[] = [];
  for await (const { config } of app.getStateHistory(HISTORY, limit === undefined ? {} : { limit })) {
    found.push(config.configurable!.checkpoint_id as string);
  }
  return found;
}

async function checkpoints(checkpointer: BaseCheckpointSaver, limit: number | undefined): Promise<string[]> {
  const found: string[] = [];
  for await (const { checkpoint } of checkpointer.list(HISTORY, limit === undefined ? {} : { limit })) {
    found.push(checkpoint.id);
  }
  return found;
}
