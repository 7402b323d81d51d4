/** Many runs, each crashing at its narrow places with a given probability; in one process, so that it is fast. */
import { join } from "node:path";
import { fakeDownstream } from "../../src/testing/index.js";
import { carryOut, settle } from "./outing.js";
import type { Ended, Outing, World } from "./outing.js";
import { DURABILITIES, KEYS, SHAPES } from "./shapes.js";
import { verdictOf } from "./verdict.js";
import type { Verdict } from "./verdict.js";

export interface DrillPlan extends Partial<Pick<World, "sabotage">> {
  readonly runs: number;
  readonly seed: number;
  readonly rate: number;
  /** The share of lookups that the downstream leaves unanswered. */
  readonly unanswered: number;
}

/** Every combination of shape, durability and key, in turn. */
export function outingsOf(runs: number): Outing[] {
  const kinds = SHAPES.flatMap((shape) =>
    DURABILITIES.flatMap((durability) => KEYS.map((key) => ({ shape, durability, key }))),
  );
  return Array.from({ length: runs }, (_, index) => ({ run: `run-${index}`, ...kinds[index % kinds.length]! }));
}

export async function crashDrill(
  { runs, seed, rate, unanswered, ...rest }: DrillPlan,
  folder: string,
): Promise<Verdict> {
  const world: World = {
    file: join(folder, "drill.db"),
    bank: fakeDownstream({ seed, unanswered }),
    seed,
    rate,
    ...rest,
  };
  const first: Ended[] = [];
  for (const outing of outingsOf(runs)) first.push(await carryOut(outing, world));
  const before = { calls: [...world.bank.calls], lookups: [...world.bank.lookups] };
  const last: Ended[] = [];
  for (const one of first) last.push(one.as === "waiting" ? await settle(one.outing, world) : one);
  return verdictOf(first, last, before, world.bank);
}
