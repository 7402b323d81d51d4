import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { SlimSaver } from "../../../src/checkpointer/slim-saver.js";
import { decide, pendingApprovals } from "../../../src/nodes/decide.js";
import { ledgerOf } from "../../../src/nodes/ledger.js";
import { requestApproval } from "../../../src/nodes/request-approval.js";
import { resume } from "../../../src/nodes/resume.js";
import { approve, asked, chain, on, Outside, plain } from "./support.js";

let folder: string;
let outside: Outside;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "waypoint-approval-"));
  outside = new Outside();
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** A new saver on the same file, as a new process would make it. */
function open() {
  const saver = SlimSaver.fromConnString(join(folder, "agent.db"));
  const pay = async () => {
    const decision = await requestApproval({ action: "pay", args: { n: 1 } });
    if (decision.type === "approve") outside.call(decision.args);
    return { log: [decision.type] };
  };
  return { saver, ledger: ledgerOf(saver), app: chain({ pay }, saver) };
}

it("an approval that was asked for is found, decided and picked up by other processes on the same file", async () => {
  const asking = open();
  const first = await asking.app.invoke({}, on("t"));
  const { id } = asked(first).approvals[0]!;
  await asking.saver.close();

  const deciding = open();
  expect(await pendingApprovals(deciding.ledger)).toMatchObject([{ id, action: "pay", args: { n: 1 } }]);
  await expect(decide(deciding.ledger, id, { type: "approve" }, { by: "ann" })).resolves.toMatchObject({
    applied: true,
  });
  await deciding.saver.close();

  const continuing = open();
  await expect(resume(continuing.app, on("t"))).resolves.toMatchObject({ status: "finished" });
  expect(outside.calls).toHaveLength(1);
  await expect(decide(continuing.ledger, id, { type: "approve" }, { by: "bob" })).resolves.toMatchObject({
    applied: false,
    reason: "already-decided",
  });
  await continuing.saver.close();
});

it("a plain Command({ resume }) decides in a new process, with SlimSaver", async () => {
  const asking = open();
  await asking.app.invoke({}, on("t"));
  await asking.saver.close();
  const continuing = open();
  await continuing.app.invoke(plain(approve), on("t"));
  await continuing.app.invoke(plain(approve), on("t"));
  expect(outside.calls).toHaveLength(1);
  await continuing.saver.close();
});

it("an answer that was written down survives a crash before the graph ran on", async () => {
  const asking = open();
  const first = await asking.app.invoke({}, on("t"));
  const { id } = asked(first).approvals[0]!;
  // The process dies between the row and the run.
  asking.app.invoke = () => Promise.reject(new Error("killed"));
  await expect(resume(asking.app, on("t"), { [id]: { type: "approve" } })).rejects.toThrow("killed");
  await asking.saver.close();
  const continuing = open();
  await resume(continuing.app, on("t"));
  expect(outside.calls).toHaveLength(1);
  await continuing.saver.close();
});
