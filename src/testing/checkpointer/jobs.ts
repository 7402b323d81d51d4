/** What this process and a child process of the contract say to each other. Everything in it is JSON. */
import type { GraphName } from "./graphs.js";

/** Runs one of the contract's graphs. */
export interface RunJob {
  readonly do: "run";
  readonly graph: GraphName;
  readonly thread: string;
  /** `null` goes on where the thread is. */
  readonly input: { readonly log: string[] } | { readonly resume: string } | null;
  readonly durability: "sync" | "async" | "exit";
  /** The moment at which the process stands still, so that it can be killed there. */
  readonly stopAt?: Moment;
  /** The moment at which the process waits until it is told to go on. */
  readonly waitAt?: Moment;
}

/** Writes a chain of checkpoints, each with a write, into a thread. */
export interface WriteJob {
  readonly do: "write";
  readonly thread: string;
  readonly checkpoints: number;
}

export type Job = RunJob | WriteJob;

/** Tells a process that waits to go on. */
export interface Go {
  readonly do: "go";
}

/** A node has begun, what a node wrote is stored, or the checkpoint of a step is about to be stored or is. */
export type Moment =
  `node ${string}` | `writes of ${string} stored` | `checkpoint of step ${number} ${"coming" | "stored"}`;

export type Report =
  | { readonly event: "ready" }
  | { readonly event: Moment }
  | { readonly event: "done"; readonly log: readonly string[] }
  | { readonly event: "failed"; readonly message: string };
