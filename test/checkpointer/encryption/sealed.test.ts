import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { HumanMessage } from "@langchain/core/messages";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { aes256gcm } from "../../../src/checkpointer/index.js";
import type { SlimSaver, SlimSaverOptions } from "../../../src/checkpointer/index.js";
import { EffectTable } from "../../../src/nodes/effect-table.js";
import { ApprovalTable } from "../../../src/nodes/approval-table.js";
import { ledgerOf } from "../../../src/nodes/index.js";
import type { WaypointError } from "../../../src/shared/errors.js";
import { LOOP, checkpointOf } from "../checkpoints.js";
import { TOLD, tellEverything } from "./everything.js";
import { databaseOf, errorOf, openSaver, proveFor, reasonOfOpening, temporaryFolder, thread } from "./support.js";

const KEY = aes256gcm(randomBytes(32));
const OTHER = aes256gcm(randomBytes(32));
const sealed = { encryption: KEY };

async function told(options: SlimSaverOptions = sealed): Promise<{ file: string; saver: SlimSaver }> {
  const file = join(temporaryFolder(), "agent.db");
  const saver = openSaver(file, options);
  await tellEverything(saver);
  return { file, saver };
}

function approvalIn(saver: SlimSaver): string {
  return databaseOf(saver).get<{ id: string }>("SELECT id FROM waypoint_approvals")?.id ?? "";
}

/** Everything that reads what is sealed; each has to fail when it cannot be opened. */
function readings(saver: SlimSaver): [string, () => Promise<unknown>][] {
  const ledger = ledgerOf(saver);
  const first = async (): Promise<unknown> => {
    for await (const tuple of saver.list(thread("t"))) return tuple;
    return undefined;
  };
  return [
    ["getTuple", () => saver.getTuple(thread("t"))],
    ["list", first],
    ["position", () => saver.position("u")],
    ["copyThread", () => saver.copyThread("t", "copy")],
    ["effects", async () => Promise.resolve(new EffectTable(ledger.store).all())],
    ["approvals", async () => Promise.resolve(new ApprovalTable(ledger.store).find(approvalIn(saver)))],
  ].map(([name, read]) => [name as string, read as () => Promise<unknown>]);
}

describe("whoever has the key", () => {
  it("reads all of it: threads, lists, positions, the ledger, and everything is whole", async () => {
    const { file, saver } = await told();
    const again = openSaver(file, sealed);
    const before = await saver.getTuple(thread("t"));
    const tuple = await again.getTuple(thread("t"));
    expect(tuple).toEqual(before);
    expect(tuple?.checkpoint.channel_values).toMatchObject({ topic: TOLD.channel, long: TOLD.longChannel });
    const [, message] = tuple?.checkpoint.channel_values.messages as { id: string; content: string }[];
    expect(message).toMatchObject({ id: TOLD.messageId, content: TOLD.message });
    expect((await again.getTuple(thread("v")))?.metadata).toMatchObject({ about: TOLD.metadata });
    expect(new EffectTable(ledgerOf(again).store).all("t").map(({ key }) => key)).toContain(
      `${TOLD.effectKey} ${TOLD.effectArgs}`,
    );
    expect(new ApprovalTable(ledgerOf(again).store).find(approvalIn(again))).toMatchObject({
      action: TOLD.action,
      args: { card: TOLD.approvalArgs },
      summary: TOLD.summary,
      approvers: [TOLD.approver],
      planVersion: TOLD.plan,
      reason: TOLD.reason,
      decidedBy: TOLD.approver,
    });
    const table = new EffectTable(ledgerOf(again).store);
    const [lost] = table.all("u");
    expect(lost).toMatchObject({ state: "FAILED", evidence: `${TOLD.person}: ${TOLD.evidence}` });
    const [attempt] = table.attempts(lost?.id ?? "");
    expect(attempt?.late).toBe(TOLD.late);
    expect(attempt?.evidence).toContain(`\n${TOLD.evidence}`);
    expect(table.findLatch("matter")).toMatchObject({ message: TOLD.latch, releasedBy: TOLD.person });
    expect((await again.listThreads({ search: "t", state: "waiting" })).threads.map((row) => row.threadId)).toEqual([
      "t",
    ]);
    expect(await again.verify()).toMatchObject({ ok: true, damaged: [], broken: [] });
  });

  it("copies, prunes and deletes like everybody, by run too, and leaves nothing behind", async () => {
    const { saver } = await told();
    await saver.copyThread("t", "copy");
    expect((await saver.getTuple(thread("copy")))?.checkpoint).toEqual((await saver.getTuple(thread("t")))?.checkpoint);
    const pruned = await saver.prune({ keep: "latest" });
    expect(pruned.checkpoints).toBeGreaterThan(0);
    expect(await saver.verify()).toMatchObject({ ok: true, orphans: 0 });
    await saver.deleteForRuns([TOLD.run]);
    for (const name of ["t", "copy"]) expect(await saver.getTuple(thread(name))).toBeUndefined();
    for (const name of ["t", "copy", "u", "v", "w"]) await saver.deleteThread(name);
    expect(await saver.stats()).toMatchObject({ checkpoints: 0, writes: 0, objects: 0 });
    expect(databaseOf(saver).get("SELECT count(*) AS n FROM waypoint_identities")).toEqual({ n: 0 });
  });

  it("packs nothing together: lengths would tell what one text has in common with others", async () => {
    const saver = openSaver(":memory:", sealed);
    let config = thread("t");
    for (let turn = 0; turn < 12; turn += 1) {
      const checkpoint = checkpointOf({ log: `${turn} ${randomBytes(4000).toString("hex")}` });
      config = await saver.put(config, checkpoint, LOOP, checkpoint.channel_versions);
    }
    const database = databaseOf(saver);
    expect(database.get("SELECT loose FROM waypoint_threads")).toEqual({ loose: null });
    expect(database.all("SELECT id FROM waypoint_objects WHERE codec > 0")).toEqual([]);
  });
});

describe("another key, or none", () => {
  it("is refused at the door, and the database stays as it was", async () => {
    const { file, saver } = await told();
    const rows = (): unknown[] =>
      ["threads", "checkpoints", "objects", "seals", "effects"].map((table) =>
        databaseOf(saver).all(`SELECT * FROM waypoint_${table}`),
      );
    const before = rows();
    for (const options of [{ encryption: OTHER }, {}]) expect(reasonOfOpening(file, options)).toBe("key");
    expect(rows()).toEqual(before);
    expect((await saver.getTuple(thread("t")))?.checkpoint.channel_values.topic).toBe(TOLD.channel);
  });

  it.each([
    ["another", OTHER],
    ["none", undefined],
  ])("opens no row either, where somebody has opened the door: %s", async (_what, encryption) => {
    const { file, saver } = await told();
    proveFor(saver, encryption);
    const wrong = openSaver(file, encryption === undefined ? {} : { encryption });
    for (const [name, read] of readings(wrong)) {
      const error = await errorOf(read());
      expect([name, error.code, error.details.reason]).toEqual([name, "DECRYPTION_FAILED", "key"]);
    }
  });

  it("a key that comes after the data is refused, and the data stay readable without it", async () => {
    const { file, saver } = await told({});
    expect(reasonOfOpening(file, sealed)).toBe("unmarked");
    expect(await openSaver(file).getTuple(thread("t"))).toEqual(await saver.getTuple(thread("t")));
  });

  it("two tenants of one database have a key each, and each collects its own objects only", async () => {
    const file = join(temporaryFolder(), "agent.db");
    const open = (tenant: string, options: SlimSaverOptions): SlimSaver => openSaver(file, { tenant, ...options });
    const savers = [open("a", sealed), open("b", { encryption: OTHER }), open("c", {}), open("", {})];
    for (const saver of savers) {
      const checkpoint = checkpointOf({ messages: [new HumanMessage("the same for all ".repeat(9))] });
      await saver.put(thread("t"), checkpoint, LOOP, checkpoint.channel_versions);
      await saver.put(thread("gone"), checkpointOf({ log: "only here ".repeat(20) }), LOOP, { log: 1 });
    }
    for (const saver of savers) {
      await saver.deleteThread("gone");
      await saver.prune({ keep: "latest" });
    }
    for (const saver of savers) {
      expect(await saver.verify()).toMatchObject({ ok: true, checkpoints: 1, orphans: 0 });
      expect((await saver.getTuple(thread("t")))?.checkpoint.channel_values.messages).toHaveLength(1);
    }
    expect(reasonOfOpening(file, { tenant: "a", encryption: OTHER })).toBe("key");
  });
});

describe("whoever can write to the file", () => {
  it("brings no row in that is not sealed: each is refused and not read (R53)", async () => {
    const plain = await told({});
    const { file, saver } = await told();
    const handle = new Database(file);
    handle.exec(`ATTACH '${plain.file}' AS plain`);
    for (const table of [
      "threads",
      "namespaces",
      "checkpoints",
      "writes",
      "effects",
      "attempts",
      "approvals",
      "questions",
      "latches",
    ]) {
      handle.exec(`DELETE FROM waypoint_${table}; INSERT INTO waypoint_${table} SELECT * FROM plain.waypoint_${table}`);
    }
    handle.close();
    for (const [name, read] of readings(saver)) {
      const error = await errorOf(read());
      expect([name, error.code, error.details.reason]).toEqual([name, "DECRYPTION_FAILED", "unmarked"]);
    }
    expect((await saver.verify()).ok).toBe(false);
  });

  it.each([
    [
      "a plain object",
      "UPDATE waypoint_objects SET owner = NULL, codec = 0, data = CAST('\"forged\"' AS BLOB)",
      "unmarked",
    ],
    ["an id in the clear", "UPDATE waypoint_identities SET value = 'forged'", "unmarked"],
    ["no id", "UPDATE waypoint_identities SET value = NULL", "unmarked"],
  ])("puts %s in nobody's state", async (_what, sql, reason) => {
    const { file, saver } = await told();
    databaseOf(saver).run(sql);
    expect((await errorOf(openSaver(file, sealed).getTuple(thread("t")))).details.reason).toBe(reason);
  });

  it.each([
    ["checkpoints", "UPDATE waypoint_checkpoints SET body = (SELECT max(body) FROM waypoint_checkpoints)"],
    ["a namespace", "UPDATE waypoint_checkpoints SET ns = ns + 1000; UPDATE waypoint_namespaces SET id = id + 1000"],
    ["objects", "UPDATE waypoint_objects SET id = -id; UPDATE waypoint_objects SET id = 1 - id"],
    ["ids of messages", "UPDATE waypoint_identities SET value = (SELECT max(value) FROM waypoint_identities)"],
  ])("swaps no rows: %s", async (_what, sql) => {
    const file = join(temporaryFolder(), "agent.db");
    const saver = openSaver(file, sealed);
    const messages = ["one", "two", "three"].map((id) => new HumanMessage({ id, content: id.repeat(30) }));
    for (const name of ["a", "b"]) {
      let config = thread(name);
      for (const count of [1, 2, 3]) {
        const checkpoint = checkpointOf({ messages: messages.slice(0, count), name });
        config = await saver.put(config, checkpoint, LOOP, checkpoint.channel_versions);
      }
    }
    const handle = new Database(file);
    handle.exec(sql);
    handle.close();
    const reader = openSaver(file, sealed);
    const outcomes = await Promise.all(
      ["a", "b"].map((name) => reader.getTuple(thread(name)).catch((error: unknown) => (error as WaypointError).code)),
    );
    expect(outcomes.filter((outcome) => typeof outcome === "string").length).toBeGreaterThan(0);
    for (const outcome of outcomes) {
      if (typeof outcome === "string") expect(outcome).toMatch(/^(DECRYPTION_FAILED|CORRUPT_OBJECT)$/);
      else expect(outcome?.checkpoint.channel_values.messages).toEqual(messages);
    }
  });

  it("approves nothing: what was proposed does not open as what was decided", async () => {
    const saver = openSaver(":memory:", sealed);
    await tellEverything(saver);
    databaseOf(saver).run(
      "UPDATE waypoint_approvals SET state = 'approved', decided_args = args, decided_hash = args_hash, decided_by = NULL",
    );
    expect(() => new ApprovalTable(ledgerOf(saver).store).find(approvalIn(saver))).toThrow(
      /was changed since it was stored/,
    );
  });
});
