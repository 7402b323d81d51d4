import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Child, runChild } from "../child.js";
import type { Trouble } from "./fixtures/rejected.js";
import { openSaver, temporaryFolder, thread } from "./harness.js";

const REJECTED = new URL("./fixtures/rejected.ts", import.meta.url);
const LOCK_HOLDER = new URL("./fixtures/lock-holder.ts", import.meta.url);
const PATIENT = new URL("./fixtures/patient.ts", import.meta.url);

const codes: Record<Trouble, string> = {
  overtaken: "STALE_CHECKPOINT",
  unstorable: "UNSTORABLE_VALUE",
  closed: "STORE_CLOSED",
  deleted: "STALE_CHECKPOINT",
};

describe("R29: trouble with the store", () => {
  it("reaches the caller, and leaves no rejection that nobody handles", { timeout: 60_000 }, async () => {
    const { code, stderr, messages } = await runChild(REJECTED, {});
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const durabilities = ["async", "sync", "exit"];
    expect(messages).toEqual(
      durabilities.flatMap((durability) =>
        Object.entries(codes).map(([trouble, given]) => ({ trouble, durability, code: given, unhandled: [] })),
      ),
    );
  });

  it("that passes is waited for: while another process holds the lock, a checkpoint comes a little later", async () => {
    const file = join(temporaryFolder(), "agent.db");
    const patient = Child.start(PATIENT, { file });
    await patient.message();
    const holder = Child.start(LOCK_HOLDER, { file });
    expect(await holder.message()).toEqual({ holding: true });
    const trying = patient.message();
    patient.send({ store: true });
    expect(await trying).toEqual({ trying: true });
    holder.send({ let: "go" });
    const { code, stderr, messages } = await patient.ended();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { stored, waited } = messages.at(-1) as { stored: string; waited: number };
    expect(waited).toBeGreaterThan(0);
    const tuple = await openSaver(file).getTuple(thread("t"));
    expect(tuple?.checkpoint.id).toBe(stored);
    expect(tuple?.pendingWrites).toEqual([["task", "a", 2]]);
  });
});
