import { interrupt } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { effect } from "../../../src/nodes/effect.js";
import { EFFECT_STATES, type EffectState } from "../../../src/nodes/effect-row.js";
import { ledgerOf } from "../../../src/nodes/ledger.js";
import { absent, failed, succeeded, unknown, type Outcome } from "../../../src/nodes/outcome.js";
import { takeOff } from "../../../src/nodes/owner.js";
import { WaypointError } from "../../../src/shared/errors.js";
import { answer, asked, attemptsOf, chain, force, fresh, on, Outside, rowOf, saver, StillClock } from "./support.js";

/** What a visit gets to see: a result, an error's code, or a question. */
type Seen = { result: unknown } | { code: string; message?: string } | { asked: "waypoint.unknown_effect" };

interface Cell {
  readonly state: EffectState;
  readonly when?: string;
  readonly arrange?: { owner?: "alive"; dueIn?: number; lookup?: () => Promise<Outcome<unknown>>; age?: number };
  /** What a re-run of the same visit sees, and a new visit with the same key and arguments. */
  readonly same: Seen;
  readonly other: Seen;
  /** Calls that reach the outside because of the visit: of the re-run, of the new visit. */
  readonly calls: readonly [same: number, other: number];
  readonly becomes: readonly [same: EffectState, other: EffectState];
}

const DAY = 24 * 3_600_000;
const ran = { result: { receipt: 2 } };
const recorded = { result: "recorded" };
const found = { result: "found" };
const busy = { code: "EFFECT_IN_PROGRESS" };
const question = { asked: "waypoint.unknown_effect" } as const;
const compensated = { code: "COMPENSATED" };
const refusal = { code: "EFFECT_FAILED", message: "recorded refusal" };
const lookupSays = (outcome: Outcome<unknown>) => ({ lookup: async () => outcome });
const throws = { lookup: async () => Promise.reject(new Error("lookup is down")) };

const TABLE: readonly Cell[] = [
  {
    state: "STARTED",
    when: "live owner",
    arrange: { owner: "alive" },
    same: busy,
    other: busy,
    calls: [0, 0],
    becomes: ["STARTED", "STARTED"],
  },
  {
    state: "STARTED",
    when: "dead owner, found",
    arrange: lookupSays(succeeded("found")),
    same: found,
    other: found,
    calls: [0, 0],
    becomes: ["SUCCEEDED", "SUCCEEDED"],
  },
  {
    state: "STARTED",
    when: "dead owner, refused",
    arrange: lookupSays(failed(new Error("recorded refusal"))),
    same: refusal,
    // The refusal belongs to the visit that made the call; a new visit is a new attempt.
    other: ran,
    calls: [0, 1],
    becomes: ["FAILED", "SUCCEEDED"],
  },
  {
    state: "STARTED",
    when: "dead owner, absent",
    arrange: lookupSays(absent()),
    same: ran,
    other: ran,
    calls: [1, 1],
    becomes: ["SUCCEEDED", "SUCCEEDED"],
  },
  {
    state: "STARTED",
    when: "dead owner, absent, past keyTtl",
    arrange: { ...lookupSays(absent()), age: DAY + 1 },
    same: question,
    other: question,
    calls: [0, 0],
    becomes: ["UNKNOWN", "UNKNOWN"],
  },
  {
    state: "STARTED",
    when: "dead owner, absent at the end of keyTtl",
    arrange: { ...lookupSays(absent()), age: DAY },
    same: ran,
    other: ran,
    calls: [1, 1],
    becomes: ["SUCCEEDED", "SUCCEEDED"],
  },
  {
    state: "STARTED",
    when: "dead owner, absent, not authoritative",
    arrange: lookupSays(absent({ authoritative: false })),
    same: question,
    other: question,
    calls: [0, 0],
    becomes: ["UNKNOWN", "UNKNOWN"],
  },
  {
    state: "STARTED",
    when: "dead owner, unknown",
    arrange: lookupSays(unknown()),
    same: question,
    other: question,
    calls: [0, 0],
    becomes: ["UNKNOWN", "UNKNOWN"],
  },
  {
    state: "STARTED",
    when: "dead owner, lookup throws",
    arrange: throws,
    same: question,
    other: question,
    calls: [0, 0],
    becomes: ["UNKNOWN", "UNKNOWN"],
  },
  {
    state: "STARTED",
    when: "dead owner, lookup returns nothing",
    arrange: { lookup: async () => undefined as never },
    same: question,
    other: question,
    calls: [0, 0],
    becomes: ["UNKNOWN", "UNKNOWN"],
  },
  {
    state: "STARTED",
    when: "dead owner, no lookup",
    same: question,
    other: question,
    calls: [0, 0],
    becomes: ["UNKNOWN", "UNKNOWN"],
  },
  {
    state: "RETRYABLE",
    when: "due",
    arrange: { dueIn: 0 },
    same: ran,
    other: ran,
    calls: [1, 1],
    becomes: ["SUCCEEDED", "SUCCEEDED"],
  },
  {
    state: "RETRYABLE",
    when: "due soon",
    arrange: { dueIn: 5000 },
    same: ran,
    other: ran,
    calls: [1, 1],
    becomes: ["SUCCEEDED", "SUCCEEDED"],
  },
  {
    state: "RETRYABLE",
    when: "due much later",
    arrange: { dueIn: DAY },
    same: { code: "EFFECT_NOT_DUE" },
    other: { code: "EFFECT_NOT_DUE" },
    calls: [0, 0],
    becomes: ["RETRYABLE", "RETRYABLE"],
  },
  { state: "SUCCEEDED", same: recorded, other: recorded, calls: [0, 0], becomes: ["SUCCEEDED", "SUCCEEDED"] },
  { state: "FAILED", same: refusal, other: ran, calls: [0, 1], becomes: ["FAILED", "SUCCEEDED"] },
  { state: "UNKNOWN", same: question, other: question, calls: [0, 0], becomes: ["UNKNOWN", "UNKNOWN"] },
  {
    state: "UNKNOWN",
    when: "a later lookup finds it",
    arrange: lookupSays(succeeded("found")),
    same: found,
    other: found,
    calls: [0, 0],
    becomes: ["SUCCEEDED", "SUCCEEDED"],
  },
  {
    state: "COMPENSATING",
    same: compensated,
    other: compensated,
    calls: [0, 0],
    becomes: ["COMPENSATING", "COMPENSATING"],
  },
  {
    state: "COMPENSATION_FAILED",
    same: compensated,
    other: compensated,
    calls: [0, 0],
    becomes: ["COMPENSATION_FAILED", "COMPENSATION_FAILED"],
  },
  {
    state: "COMPENSATED",
    same: compensated,
    other: compensated,
    calls: [0, 0],
    becomes: ["COMPENSATED", "COMPENSATED"],
  },
];

/** Runs an effect, puts its row into the cell's state, and lets the visit see it: the same one again, or a new one. */
async function seen(cell: Cell, visit: "same" | "other") {
  const clock = new StillClock();
  const checkpointer = saver(clock);
  const ledger = ledgerOf(checkpointer);
  const outside = new Outside();
  const name = fresh("cell");
  const { lookup, owner, dueIn, age = 0 } = cell.arrange ?? {};
  const pay = effect<{ id: string }, unknown>({
    name,
    key: ({ id }) => id,
    run: async (args, context) => outside.call(args, context),
    ...(lookup === undefined ? {} : { lookup }),
  });
  const app = chain(checkpointer, {
    node: async (_, { configurable }) => {
      const what: Seen = await pay({ id: "o" }).then(
        (result) => ({ result }),
        (error: unknown) => {
          if (!WaypointError.is(error)) throw error;
          return { code: error.code, message: error.message };
        },
      );
      if (configurable?.thread_id === "first" && outside.calls.length === 1 && rowOf(ledger, name, "o").version === 2)
        interrupt("pause");
      return { log: [what] };
    },
  });
  await app.invoke({}, on("first"));
  expect(outside.calls).toHaveLength(1);
  arrange(cell, dueIn);
  clock.time += age;
  const land = owner === "alive" ? takeOff(rowOf(ledger, name, "o").token) : () => undefined;
  const result = visit === "same" ? await app.invoke(answer("go on"), on("first")) : await app.invoke({}, on("second"));
  land();
  const what = asked(result) === undefined ? (result.log[0] as Seen) : { asked: asked(result)!.type };
  return {
    what,
    calls: outside.calls.length - 1,
    state: rowOf(ledger, name, "o").state,
    attempts: attemptsOf(ledger, name, "o"),
  };

  function arrange({ state }: Cell, due: number | undefined): void {
    force(ledger, name, "o", { state, ...(due === undefined ? {} : { due_at: clock.time + due }) });
    const { id } = rowOf(ledger, name, "o");
    const error = JSON.stringify({ class: "business-refusal", name: "Error", message: "recorded refusal" });
    ledger.store.database.run(
      "UPDATE waypoint_effects SET result = ?, error = ?, version = 3 WHERE id = ?",
      state === "SUCCEEDED" ? '"recorded"' : null,
      state === "FAILED" ? error : null,
      id,
    );
  }
}

describe("the table of states", () => {
  it("has a cell for every state", () => {
    expect(new Set(TABLE.map(({ state }) => state))).toEqual(new Set(EFFECT_STATES));
  });

  for (const cell of TABLE) {
    const name = cell.when === undefined ? cell.state : `${cell.state}, ${cell.when}`;
    it.each(["same", "other"] as const)(`${name}: %s visit`, async (visit) => {
      const { what, calls, state } = await seen(cell, visit);
      expect(what).toMatchObject(cell[visit]);
      expect(calls).toBe(cell.calls[visit === "same" ? 0 : 1]);
      expect(state).toBe(cell.becomes[visit === "same" ? 0 : 1]);
    });
  }

  it("a new visit after a refusal is a new attempt, numbered, in a new round", async () => {
    const cell = TABLE.find(({ state }) => state === "FAILED")!;
    const { attempts } = await seen(cell, "other");
    expect(attempts.map(({ number, round }) => [number, round])).toEqual([
      [1, 1],
      [2, 2],
    ]);
  });
});
