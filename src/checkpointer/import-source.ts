import type { RunnableConfig } from "@langchain/core/runnables";
import type { BaseCheckpointSaver, CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { storeOf } from "../store/home.js";
import {
  checkpointsOfPostgresSaver,
  hasPostgresSaverTable,
  threadsOfPostgresSaver,
} from "../store/postgres/postgres-saver.js";
import type { Queryable } from "../store/postgres/postgres-saver.js";
import { checkpointsOfSqliteSaver, hasSqliteSaverTables, threadsOfSqliteSaver } from "../store/sqlite/sqlite-saver.js";
import { Archive } from "./archive.js";
import { threadIdOf } from "./ids.js";
import { whole } from "./whole.js";

export interface SourceAddress {
  readonly ns: string;
  readonly id: string;
}

export interface SourceThread {
  readonly thread: string;
  readonly checkpoints: number;
}

type Paths = readonly string[] | undefined;

/** Where the checkpoints of an import are. Holds addresses, never checkpoints. */
export interface ImportSource {
  threads(): Promise<readonly SourceThread[]>;
  /** Every checkpoint of a thread, in no particular order. */
  addresses(thread: string): Promise<readonly SourceAddress[]>;
  /** The task path of each pending write of a checkpoint, in their order; undefined where paths are not told. */
  paths(thread: string, address: SourceAddress): Paths | Promise<Paths>;
}

/**
 * The official savers read all of their rows at once when they list, so those are asked by their tables. From every
 * other saver the addresses are taken out of one pass through its `list`.
 */
export async function importSourceOf(
  from: BaseCheckpointSaver,
  threads: ReadonlySet<string> | undefined,
): Promise<ImportSource> {
  const source = sqliteSource(from) ?? (await postgresSource(from)) ?? (await listedSource(from, threads));
  return threads === undefined ? source : only(source, threads);
}

type Handle = Parameters<typeof threadsOfSqliteSaver>[0];

/** A class that was derived from the official one may list something else, so its own `list` is asked. */
function isExactly(from: object, className: string): boolean {
  return from.constructor.name === className;
}

function sqliteSource(from: object): ImportSource | undefined {
  const { db } = from as { db?: Partial<Handle> };
  if (!isExactly(from, "SqliteSaver") || typeof db?.prepare !== "function") return undefined;
  const handle = db as Handle;
  if (!hasSqliteSaverTables(handle)) return undefined;
  return {
    threads: () => Promise.resolve(threadsOfSqliteSaver(handle)),
    addresses: (thread) => Promise.resolve(checkpointsOfSqliteSaver(handle, thread)),
    paths: () => undefined,
  };
}

async function postgresSource(from: object): Promise<ImportSource | undefined> {
  const { pool, options } = from as { pool?: Partial<Queryable>; options?: { schema?: unknown } };
  const schema = options?.schema;
  if (!isExactly(from, "PostgresSaver") || typeof pool?.query !== "function" || typeof schema !== "string") {
    return undefined;
  }
  const queryable = pool as Queryable;
  if (!(await hasPostgresSaverTable(queryable, schema))) return undefined;
  return {
    threads: () => threadsOfPostgresSaver(queryable, schema),
    addresses: (thread) => checkpointsOfPostgresSaver(queryable, schema, thread),
    paths: () => undefined,
  };
}

/** Some savers give only a few checkpoints when they are not told how many; this many every one of them takes. */
const ALL = 2 ** 31 - 1;

async function listedSource(
  from: BaseCheckpointSaver,
  threads: ReadonlySet<string> | undefined,
): Promise<ImportSource> {
  const configs: RunnableConfig[] = threads ? [...threads].map((thread_id) => ({ configurable: { thread_id } })) : [{}];
  const found = new Map<string, SourceAddress[]>();
  for (const config of configs) {
    for await (const tuple of from.list(config, { limit: ALL })) {
      const { thread, ...address } = addressOf(tuple);
      const others = found.get(thread) ?? [];
      others.push(address);
      found.set(thread, others);
    }
  }
  const pathsIn = pathsOfSlimSaver(from);
  return {
    threads: () => Promise.resolve([...found].map(([thread, { length }]) => ({ thread, checkpoints: length }))),
    addresses: (thread) => Promise.resolve(found.get(thread) ?? []),
    paths: pathsIn,
  };
}

function addressOf({ config }: CheckpointTuple): SourceAddress & { thread: string } {
  const { thread_id, checkpoint_ns = "", checkpoint_id = "" } = (config.configurable ?? {}) as Record<string, string>;
  return { thread: threadIdOf(thread_id, "import a thread"), ns: checkpoint_ns, id: checkpoint_id };
}

function pathsOfSlimSaver(from: BaseCheckpointSaver): ImportSource["paths"] {
  const store = storeOf(from);
  if (store === undefined) return () => undefined;
  const archive = new Archive(store);
  return (thread, { ns, id }) =>
    whole(archive, () => {
      const namespace = archive.table.namespace(thread, ns);
      return namespace && archive.writesOf(namespace.id, id).map(({ path }) => path);
    });
}

function only(source: ImportSource, wanted: ReadonlySet<string>): ImportSource {
  return { ...source, threads: async () => (await source.threads()).filter(({ thread }) => wanted.has(thread)) };
}
