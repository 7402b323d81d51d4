import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Child, runChild } from "../../child.js";
import { happened } from "./support.js";

const payer = new URL("fixtures/payer.ts", import.meta.url);
const racer = new URL("fixtures/racer.ts", import.meta.url);

let dir: string;
let bank: string;
let database: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "waypoint-effect-"));
  bank = join(dir, "bank");
  database = join(dir, "agent.db");
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function paid(): string[] {
  return existsSync(bank) ? readFileSync(bank, "utf8").split("\n").filter(Boolean) : [];
}

function run(parameters: object) {
  return runChild(payer, { database, bank, payments: 2, lookup: true, input: "start", ...parameters });
}

describe("after a SIGKILL, a new process", () => {
  it.each(["sync", "async"])(
    "finds by lookup what was sent and not recorded, and sends nothing (%s)",
    async (durability) => {
      const killed = await run({ die: "after", durability });
      expect(killed.signal).toBe("SIGKILL");
      expect(paid()).toEqual(["payment-0", "payment-1"]);
      const recovered = await run({ input: "continue", durability });
      expect(recovered.messages, recovered.stderr).toEqual([{ log: ["receipt of payment-0", "receipt of payment-1"] }]);
      expect(paid()).toEqual(["payment-0", "payment-1"]);
    },
  );

  it("finds by lookup that nothing was sent, and sends it once, under the same key", async () => {
    await run({ die: "before" });
    expect(paid()).toEqual(["payment-0"]);
    const recovered = await run({ input: "continue" });
    expect(recovered.messages, recovered.stderr).toEqual([{ log: ["receipt of payment-0", "receipt of payment-1"] }]);
    expect(paid()).toEqual(["payment-0", "payment-1"]);
  });

  it("without a lookup asks a person, and sends nothing", async () => {
    await run({ die: "after", lookup: false });
    const before = paid();
    const asking = await run({ input: "continue", lookup: false });
    expect(asking.messages, asking.stderr).toMatchObject([{ asked: "waypoint.unknown_effect" }]);
    const answered = await run({ input: { answer: happened("seen") }, lookup: false });
    expect(answered.messages, answered.stderr).toEqual([{ log: ["receipt of payment-0", "seen"] }]);
    expect(paid()).toEqual(before);
  });

  it("the same input delivered again pays nothing twice", async () => {
    await run({ die: "after" });
    const again = await run({ input: "start" });
    expect(again.messages, again.stderr).toMatchObject([
      { log: expect.arrayContaining(["receipt of payment-1"]) as unknown },
    ]);
    expect(paid()).toEqual(["payment-0", "payment-1"]);
  });
});

it("processes that race for one key make one call, and all get its receipt", async () => {
  const keys = 20;
  const children = [1, 2, 3].map(() => Child.start(racer, { database, bank, keys }));
  await Promise.all(children.map((child) => child.message()));
  children.forEach((child) => child.send({ go: true }));
  const receipts = await Promise.all(children.map(async (child) => (await child.ended()).messages[1]));
  expect(receipts[1]).toEqual(receipts[0]);
  expect(receipts[2]).toEqual(receipts[0]);
  expect(paid()).toHaveLength(keys);
  expect(new Set(paid()).size).toBe(keys);
});
