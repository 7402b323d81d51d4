import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { SlimSaver } from "../../src/checkpointer/index.js";
import type { MessagesChannel } from "./graph.js";
import { ReferenceSaver } from "./reference-saver.js";

export interface OpenSaver {
  readonly checkpointer: BaseCheckpointSaver;
  close(): Promise<void>;
}

/** One row of the benchmark. */
export interface BenchSaver {
  readonly label: string;
  readonly channel: MessagesChannel;
  /** Whether it has a database that another process can open. */
  readonly onDisk: boolean;
  /** Beyond this many turns it takes too long and too much disk, and is left out. */
  readonly largest: number;
  open(file: string): OpenSaver;
}

/** Sizes above this are for savers that grow with the text. */
const QUADRATIC = 200;

export const SAVERS = {
  own: {
    label: "graph's own cost",
    channel: "annotation",
    onDisk: false,
    largest: Infinity,
    open: () => ({ checkpointer: new ReferenceSaver(), close: async () => {} }),
  },
  sqlite: {
    label: "SqliteSaver",
    channel: "annotation",
    onDisk: true,
    largest: QUADRATIC,
    open: openSqliteSaver,
  },
  delta: {
    label: "SqliteSaver, DeltaChannel",
    channel: "delta",
    onDisk: true,
    largest: QUADRATIC,
    open: openSqliteSaver,
  },
  slim: {
    label: "SlimSaver",
    channel: "annotation",
    onDisk: true,
    largest: Infinity,
    open: (file) => {
      const checkpointer = SlimSaver.fromConnString(file);
      return { checkpointer, close: () => checkpointer.close() };
    },
  },
} as const satisfies Record<string, BenchSaver>;

export type SaverName = keyof typeof SAVERS;
export const SAVER_NAMES = Object.keys(SAVERS) as SaverName[];
/** Those that another process can read after them. */
export const STORED_SAVERS = SAVER_NAMES.filter((name) => SAVERS[name].onDisk);
export const SAVER_LABELS = Object.fromEntries(SAVER_NAMES.map((name) => [name, SAVERS[name].label]));

function openSqliteSaver(file: string): OpenSaver {
  const checkpointer = SqliteSaver.fromConnString(file);
  return { checkpointer, close: async () => void checkpointer.db.close() };
}
