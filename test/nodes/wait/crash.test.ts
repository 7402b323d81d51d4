import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { runChild } from "../../child.js";

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

async function run(parameters: object): Promise<Said> {
  const { messages, stderr } = await runChild(sleeper, { database: join(folder, "agent.db"), ...parameters });
  expect(messages, stderr).toHaveLength(1);
  return messages[0] as Said;
}

async function killed(parameters: object): Promise<void> {
  const { signal, stderr } = await runChild(sleeper, { database: join(folder, "agent.db"), ...parameters });
  expect(signal, stderr).toBe("SIGKILL");
}

it.each(["entered", "asked"])(
  "a SIGKILL at any moment of asking leaves one wait, and every answer at its own question: %s",
  { timeout: 120_000 },
  async (die) => {
    await killed({ do: "start", hours: 0, die });
    // The run had not stopped yet, so that it goes on, and asks under the same row.
    expect((await run({ do: "resume", hours: 0 })).open).toMatchObject([{ kind: "sleep", due: false }]);
    await killed({ do: "resume", hours: 1, die });
    expect((await run({ do: "resume", hours: 1 })).open).toMatchObject([{ kind: "event" }]);
    await killed({ do: { deliver: 5 }, hours: 1, die: "delivered" });
    expect((await run({ do: "resume", hours: 9 })).result.pending).toMatchObject([{ value: "go on?" }]);
    const { result, open } = await run({ do: { answer: "yes" }, hours: 9 });
    expect(result.values?.log).toEqual([5, "yes"]);
    expect(open).toEqual([]);
  },
);

it("a sleep that fell due while no process lived is picked up by the next", { timeout: 120_000 }, async () => {
  await run({ do: "start", hours: 0 });
  expect((await run({ do: "resume", hours: 1 })).open).toMatchObject([{ kind: "event" }]);
  const { result } = await run({ do: "resume", hours: 2 });
  expect(result.pending).toMatchObject([{ value: "go on?" }]);
  expect((await run({ do: { answer: "yes" }, hours: 2 })).result.values?.log).toEqual(["timed-out", "yes"]);
});
