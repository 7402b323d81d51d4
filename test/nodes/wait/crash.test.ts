import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Child, runChild } from "../../child.js";

const sleeper = new URL("fixtures/sleeper.ts", import.meta.url);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "waypoint-wait-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Said {
  readonly result: { readonly values?: { readonly log: unknown[] }; readonly pending?: { readonly value: unknown }[] };
  readonly open: { readonly kind: string; readonly due: boolean }[];
}

/** What each step of a process said; one that is killed says nothing of its last step. */
async function run(...steps: object[]): Promise<Said[]> {
  const { messages, signal, stderr } = await runChild(sleeper, { database: join(folder, "agent.db"), steps });
  const dies = Object.hasOwn(steps.at(-1) ?? {}, "die");
  expect(signal, stderr).toBe(dies ? "SIGKILL" : null);
  return messages as Said[];
}

it.each(["entered", "asked"])(
  "a SIGKILL at any moment of asking leaves one wait, and every answer at its own question: %s",
  { timeout: 120_000 },
  async (die) => {
    await run({ do: "start", hours: 0, die });
    // The run had not stopped yet, so that it goes on, and asks under the same row.
    const [sleeping] = await run({ do: "resume", hours: 0 }, { do: "resume", hours: 1, die });
    expect(sleeping?.open).toMatchObject([{ kind: "sleep", due: false }]);
    const [waiting] = await run({ do: "resume", hours: 1 }, { do: { deliver: 5 }, hours: 1, die: "delivered" });
    expect(waiting?.open).toMatchObject([{ kind: "event" }]);
    const [asking, done] = await run({ do: "resume", hours: 9 }, { do: { answer: "yes" }, hours: 9 });
    expect(asking?.result.pending).toMatchObject([{ value: "go on?" }]);
    expect(done).toMatchObject({ result: { values: { log: [5, "yes"] } }, open: [] });
  },
);

it("a sleep that fell due while no process lived is picked up by the next", { timeout: 120_000 }, async () => {
  await run({ do: "start", hours: 0 });
  const said = await run({ do: "resume", hours: 1 }, { do: "resume", hours: 2 }, { do: { answer: "yes" }, hours: 2 });
  expect(said[0]?.open).toMatchObject([{ kind: "event" }]);
  expect(said[1]?.result.pending).toMatchObject([{ value: "go on?" }]);
  expect(said[2]?.result.values?.log).toEqual(["timed-out", "yes"]);
});

it("processes that deliver the same events at once deliver each of them once", { timeout: 120_000 }, async () => {
  const courier = new URL("fixtures/courier.ts", import.meta.url);
  const events = 20;
  const couriers = [1, 2, 3].map(() => Child.start(courier, { database: join(folder, "agent.db"), events }));
  await Promise.all(couriers.map((child) => child.message()));
  couriers.forEach((child) => child.send({ go: true }));
  const applied = await Promise.all(couriers.map(async (child) => (await child.ended()).messages[1] as string[]));
  expect(
    applied
      .flat()
      .map(Number)
      .sort((a, b) => a - b),
  ).toEqual(Array.from({ length: events }, (_, n) => n));
});
