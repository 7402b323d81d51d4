/** One run of the payment graph, from life to life until it has ended or waits for a person. */
import { SlimSaver } from "../../src/checkpointer/slim-saver.js";
import type { Position } from "../../src/checkpointer/position.js";
import { absent, ledgerOf, resolve, resume } from "../../src/nodes/index.js";
import type { ResumableGraph } from "../../src/nodes/index.js";
import { WaypointError } from "../../src/shared/errors.js";
import { draw } from "../../src/testing/draw.js";
import { crashPoints } from "../../src/testing/index.js";
import type { Crash, Downstream } from "../../src/testing/index.js";
import { appOf } from "./shapes.js";
import type { Durability, KeyKind, Parts, Shape } from "./shapes.js";

export interface Outing {
  readonly run: string;
  readonly shape: Shape;
  readonly key: KeyKind;
  readonly durability: Durability;
}

export interface Ended {
  readonly outing: Outing;
  /** `broken`: neither at its end nor waiting for a person. */
  readonly as: "completed" | "waiting" | "broken";
  /** Where it crashed, life after life. */
  readonly crashes: readonly string[];
  /** Keys whose outcome is unknown when it waits. */
  readonly unknown: readonly string[];
  readonly why?: string;
}

export interface World {
  /** The database of all runs. */
  readonly file: string;
  readonly bank: Downstream;
  readonly seed: number;
  /** Probability of a crash at each pass of each point. */
  readonly rate: number;
  /** Leaves out what makes it safe, to see that the drill notices. */
  readonly sabotage?: "blind-lookup";
}

/** More than any run needs; one that does not come to an end within them is broken. */
const LIVES = 100;

/** Lives until the run has ended, or waits. What is to be done next is found out from the store alone. */
export async function carryOut(outing: Outing, world: World): Promise<Ended> {
  const crashes: string[] = [];
  for (let life = 1; life <= LIVES; life += 1) {
    const crash = crashPoints.throwing({ rate: world.rate, seed: draw(world.seed, outing.run, life) * 2 ** 32 });
    const { position, problem } = await live(outing, world, crash);
    if (crash.crashedAt !== undefined) {
      crashes.push(crash.crashedAt);
      continue;
    }
    return { ...endOf(position, problem), outing, crashes };
  }
  return { outing, as: "broken", crashes, unknown: [], why: `It did not end within ${LIVES} lives.` };
}

interface Lived {
  readonly position: Position | undefined;
  readonly problem: string | undefined;
}

async function live(outing: Outing, world: World, crash: Crash): Promise<Lived> {
  const saver = SlimSaver.fromConnString(world.file);
  try {
    const bank = crash.watch(world.bank);
    const { app, input } = appOf(outing.run, partsOf(outing, crash.watch(saver), bank, world));
    const problem = await goOn(app, input, outing).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? `${error.name}: ${error.message}` : String(error)),
    );
    // What still runs of a life that was broken off finds out that it is over.
    for (let turns = 0; turns < 5; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    return { position: await saver.position(outing.run), problem };
  } finally {
    await saver.close();
  }
}

export function partsOf(
  { shape, key }: Outing,
  saver: SlimSaver,
  bank: Downstream,
  { sabotage }: Partial<World>,
): Parts {
  if (sabotage === undefined) return { saver, bank, shape, key };
  // It always says that nothing happened.
  const blind = { ...bank, call: bank.call.bind(bank), lookup: async () => absent() };
  return { saver, bank: blind, shape, key };
}

export function configOf({ run, durability }: Outing) {
  return { configurable: { thread_id: run }, durability };
}

/** As whoever finds an unfinished job does it: continues the thread, or begins it when there is none. */
export async function goOn(app: object, input: unknown, outing: Outing): Promise<void> {
  try {
    await resume(app as ResumableGraph, configOf(outing));
  } catch (error) {
    if (!WaypointError.is(error) || error.code !== "UNKNOWN_THREAD") throw error;
    await (app as ResumableGraph).invoke(input as never, configOf(outing) as never);
  }
}

export function endOf(position: Position | undefined, problem?: string): Pick<Ended, "as" | "unknown" | "why"> {
  const unknown = position?.effects.filter(({ state }) => state === "UNKNOWN").map(({ key }) => key) ?? [];
  const why = problem ?? position?.lastError?.message ?? `It stands at ${position?.state ?? "nothing"}.`;
  if (problem === undefined && position?.state === "done") return { as: "completed", unknown };
  if (problem === undefined && position?.state === "waiting" && unknown.length > 0) return { as: "waiting", unknown };
  return { as: "broken", unknown, why };
}

/** A person looks into the bank's books, says what they found, and the run goes on to its end. */
export async function settle(outing: Outing, world: World): Promise<Ended> {
  const saver = SlimSaver.fromConnString(world.file);
  try {
    for (let round = 0; round < 5; round += 1) {
      const effects = (await saver.position(outing.run))?.effects ?? [];
      for (const { id, key } of effects.filter(({ state }) => state === "UNKNOWN")) {
        const happened = world.bank.times(key) > 0;
        const said = { by: "ada", evidence: "the bank's books" };
        await resolve(
          ledgerOf(saver),
          id,
          happened ? { as: "succeeded", result: { key }, ...said } : { as: "retry", ...said },
        );
      }
      const { app, input } = appOf(outing.run, partsOf(outing, saver, world.bank, {}));
      await goOn(app, input, outing);
      const position = await saver.position(outing.run);
      if (position?.state === "done") return { ...endOf(position), outing, crashes: [] };
    }
    return { outing, as: "broken", crashes: [], unknown: [], why: "A person's answers did not bring it to its end." };
  } finally {
    await saver.close();
  }
}
