import { appendFileSync, existsSync, readFileSync } from "node:fs";

/** One request that reached the outside, whoever made it and however often. */
export interface RawCall {
  readonly key: string;
  readonly value: unknown;
  /** `done`: it took effect. `refused`: it did not. `repeated`: it was recognised by its key, and did not take effect again. */
  readonly outcome: "done" | "refused" | "repeated";
  /** False where the caller was left without an answer. */
  readonly answered: boolean;
}

/** One question about an earlier call. */
export interface RawLookup {
  readonly key: string;
  readonly answered: boolean;
}

/** What a downstream remembers. */
export interface Book {
  readonly calls: readonly RawCall[];
  readonly lookups: readonly RawLookup[];
  enter(entry: Entry): void;
}

type Entry = { readonly call: RawCall } | { readonly lookup: RawLookup };

export function memoryBook(): Book {
  const calls: RawCall[] = [];
  const lookups: RawLookup[] = [];
  const enter = (entry: Entry): void => {
    if ("call" in entry) calls.push(entry.call);
    else lookups.push(entry.lookup);
  };
  return { calls, lookups, enter };
}

/** A line for each entry; several processes may write, and a killed one leaves its lines whole. */
export function fileBook(file: string): Book {
  const entries = (): Entry[] => {
    if (!existsSync(file)) return [];
    const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
    return lines.map((line) => JSON.parse(line) as Entry);
  };
  return {
    get calls() {
      return entries().flatMap((entry) => ("call" in entry ? [entry.call] : []));
    },
    get lookups() {
      return entries().flatMap((entry) => ("lookup" in entry ? [entry.lookup] : []));
    },
    enter: (entry) => {
      appendFileSync(file, `${JSON.stringify(entry)}\n`);
    },
  };
}
