import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import type { Ledger } from "../../nodes/ledger.js";
import { InvalidInputError } from "../../shared/errors.js";
import type { Downstream } from "../downstream/fake-downstream.js";
import { draw } from "../draw.js";
import { rateOf, seedOf } from "../rates.js";
import { deathBy, type Death, type Manner } from "./death.js";
import { viewsOf } from "./views.js";

/** The narrow places of an effect and of a checkpoint, in the order in which a run passes them. */
const NAMES = [
  "before intent",
  "after intent",
  "before call",
  "after call",
  "before record",
  "after record",
  "before putWrites",
  "after putWrites",
  "before put",
  "after put",
] as const;

/** A point at which a run can be broken off. Points of your own have any other name. */
export type CrashPoint = (typeof NAMES)[number];

/** Where it crashes: at the n-th pass of one point, or at any pass with a given probability. */
export type CrashPlan = {
  /** Told of the point right before the end, in time to write it down. */
  readonly onCrash?: (point: string) => void;
} & (
  | { readonly at: CrashPoint | (string & {}); /** From 1, the default. */ readonly pass?: number }
  | {
      /** Probability of each pass, from 0 to 1. */
      readonly rate: number;
      readonly seed: number;
      /** Only at these; all points by default. */
      readonly points?: readonly string[];
    }
);

/** One life of a process: it passes points until it crashes at one of them, or ends. */
export interface Crash {
  /** Where it crashed; undefined as long as it has not. */
  readonly crashedAt: string | undefined;
  /** Every point that was passed, in order; the one of the crash is the last. */
  readonly passed: readonly string[];
  /**
   * The same saver, ledger or downstream, seen from this life. It passes the points of what it does: a saver `putWrites`
   * and `put`; the ledger of a SlimSaver, or a ledger by itself, `intent` and `record`; a downstream `call`. After the
   * crash it refuses everything, so that what still runs of this life can do nothing more; what was stored stays as it is,
   * for the next life.
   */
  watch<T extends BaseCheckpointSaver | Ledger | Downstream>(watched: T): T;
  /** Passes `before <name>`, does the work, passes `after <name>`. */
  around<T>(name: string, work: () => T | Promise<T>): Promise<T>;
  /** Passes a point. @throws SimulatedCrash here, and at every later pass of a life that is over */
  pass(point: string): void;
}

export interface CrashPoints {
  /** The points that watched savers, ledgers and downstreams pass. */
  readonly names: readonly CrashPoint[];
  /**
   * A life that ends with an exception, SimulatedCrash, in this process: fast, and enough for most tests.
   *
   * @throws InvalidInputError for a plan that cannot be meant
   */
  throwing(plan: CrashPlan): Crash;
  /**
   * A life that ends with SIGKILL to this process: nothing gets the chance to clean up. For child processes.
   *
   * @throws InvalidInputError for a plan that cannot be meant
   */
  killing(plan: CrashPlan): Crash;
}

/**
 * Breaks a run off at its narrow places: around the intent, the outside call and the record of an effect, and around
 * what the checkpointer stores.
 *
 * - The same plan crashes at the same place, as far as the run passes the same points.
 * - Storage is not touched: what was committed before the point is there, what comes after it is not.
 *
 * @example
 * const crash = crashPoints.throwing({ at: "after call" });
 * const app = graph.compile({ checkpointer: crash.watch(saver) });
 * await app.invoke(input, config).catch(() => undefined);
 * console.log(crash.crashedAt); // after call
 * // The next life: compile with the saver itself, and resume(app, config).
 */
export const crashPoints: CrashPoints = {
  names: NAMES,
  throwing: (plan) => new Life(plan, "throw"),
  killing: (plan) => new Life(plan, "kill"),
};

class Life implements Crash {
  readonly passed: string[] = [];
  private readonly passes = new Map<string, number>();
  private readonly isDue: (point: string, pass: number) => boolean;
  private readonly death: Death;
  readonly watch: Crash["watch"];

  constructor(
    private readonly plan: CrashPlan,
    manner: Manner,
  ) {
    this.isDue = reading(plan);
    this.death = deathBy(manner);
    this.watch = viewsOf(this, this.death);
  }

  get crashedAt(): string | undefined {
    return this.death.at;
  }

  async around<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    this.pass(`before ${name}`);
    const result = await this.death.orResult(work());
    this.pass(`after ${name}`);
    return result;
  }

  pass(point: string): void {
    this.death.refuse();
    const pass = (this.passes.get(point) ?? 0) + 1;
    this.passes.set(point, pass);
    this.passed.push(point);
    if (!this.isDue(point, pass)) return;
    this.plan.onCrash?.(point);
    this.death.come(point);
  }
}

function reading(plan: CrashPlan): (point: string, pass: number) => boolean {
  if ("at" in plan) {
    const { at, pass: due = 1 } = plan;
    if (typeof at !== "string" || at === "" || !Number.isInteger(due) || due < 1) {
      throw new InvalidInputError(
        `A crash needs a point and a pass from 1: { at: "after call", pass: 1 }. Points are ${NAMES.join(", ")}, and your own.`,
      );
    }
    return (point, pass) => point === at && pass === due;
  }
  const rate = rateOf("rate", plan.rate);
  const seed = seedOf(plan.seed);
  const { points } = plan;
  return (point, pass) => (points === undefined || points.includes(point)) && draw(seed, point, pass) < rate;
}
