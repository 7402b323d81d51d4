import { existsSync, readFileSync } from "node:fs";
import { inflateRawSync } from "node:zlib";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { Annotation, Command, MessagesAnnotation, START, StateGraph, interrupt } from "@langchain/langgraph";
import Database from "better-sqlite3";
import { z } from "zod";
import type { SlimSaver } from "../../../src/checkpointer/index.js";
import { EffectTable } from "../../../src/nodes/effect-table.js";
import {
  deliverEvent,
  effect,
  ledgerOf,
  memo,
  pendingApprovals,
  requestApproval,
  resolve,
  retryLater,
  unknown,
  waitForEvent,
} from "../../../src/nodes/index.js";
import { decide } from "../../../src/nodes/decide.js";
import { BUILT_IN_DICTIONARY } from "../../../src/store/sqlite/dictionary.js";
import { LOOP, checkpointOf, thread } from "../checkpoints.js";

/** One text for each door through which texts come into the database. */
export const TOLD = {
  channel: "TOLD-short-channel",
  longChannel: "TOLD-long-channel ".repeat(20),
  message: "TOLD-message",
  messageId: "TOLD-message-id",
  nested: "TOLD-nested",
  key: "TOLD-record-key",
  metadata: "TOLD-metadata",
  run: "TOLD-run-id",
  question: "TOLD-question",
  answer: "TOLD-answer",
  nodeError: "TOLD-node-error",
  effectKey: "TOLD-effect-key",
  effectArgs: "TOLD-effect-args",
  effectResult: "TOLD-effect-result",
  effectError: "TOLD-effect-error",
  lookup: "TOLD-lookup",
  late: "TOLD-late",
  evidence: "TOLD-evidence",
  person: "TOLD-person",
  latch: "TOLD-latch",
  action: "TOLD-action",
  approvalArgs: "TOLD-approval-args",
  summary: "TOLD-summary",
  approver: "TOLD-approver",
  plan: "TOLD-plan",
  reason: "TOLD-reason",
  artifact: "TOLD-artifact",
  artifactName: "TOLD-artifact-name",
  memoArgs: "TOLD-memo-args",
  memoValue: "TOLD-memo-value",
  event: "TOLD-event",
  keptEvent: "TOLD-kept-event",
  refusedEvent: "TOLD-refused-event",
  waitReason: "TOLD-wait-reason",
} as const;

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  topic: Annotation<string>,
  long: Annotation<string>,
  data: Annotation<object>,
  log: Annotation<unknown[]>({ reducer: (before, more) => [...before, ...more], default: () => [] }),
});

let names = 0;

/** Brings every text of `TOLD` into the database, through a graph wherever a graph has a way for it. */
export async function tellEverything(checkpointer: SlimSaver): Promise<void> {
  const charge = effect({
    name: `charge-${(names += 1)}`,
    key: ({ card }: { card: string }) => `${TOLD.effectKey} ${card}`,
    run: ({ card }) =>
      card.includes("lost")
        ? Promise.reject(Object.assign(new Error(TOLD.effectError), { code: "ECONNRESET" }))
        : Promise.resolve({ receipt: TOLD.effectResult }),
    lookup: () => Promise.resolve(unknown(TOLD.lookup)),
  });
  const app = new StateGraph(State)
    .addNode("speak", () => ({
      messages: [new AIMessage({ content: TOLD.message, id: TOLD.messageId }), new HumanMessage("next")],
      topic: TOLD.channel,
      long: TOLD.longChannel,
      data: { deep: [{ [TOLD.key]: TOLD.nested }] },
    }))
    .addNode("pay", async () => ({ log: [await charge({ card: TOLD.effectArgs })] }))
    .addNode("ask", async () => {
      const answer: unknown = interrupt(TOLD.question);
      await requestApproval({
        action: TOLD.action,
        args: { card: TOLD.approvalArgs },
        summary: TOLD.summary,
        approvers: [TOLD.approver],
        planVersion: TOLD.plan,
      });
      return { log: [answer] };
    })
    .addNode("lose", async () => ({ log: [await charge({ card: "lost" })] }))
    .addEdge(START, "speak")
    .addEdge("speak", "pay")
    .addEdge("pay", "ask")
    .addEdge("ask", "lose")
    .compile({ checkpointer });
  const config = {
    configurable: { thread_id: "t" },
    metadata: { run_id: TOLD.run },
  };
  await app.invoke({ messages: [new HumanMessage("begin")] }, config);
  await app.invoke(new Command({ resume: TOLD.answer }), config);
  const ledger = ledgerOf(checkpointer);
  const [approval] = await pendingApprovals(ledger);
  const { id } = approval as { id: string };
  await decide(ledger, id, { type: "reject", reason: TOLD.reason }, { by: TOLD.approver });

  const failing = new StateGraph(State)
    .addNode("lose", async () => ({ log: [await charge({ card: "lost" })] }))
    .addNode("fail", () => Promise.reject(new Error(TOLD.nodeError)))
    .addEdge(START, "lose")
    .addEdge(START, "fail")
    .compile({ checkpointer });
  await failing.invoke({ log: [] }, { configurable: { thread_id: "u" } }).catch(() => undefined);
  const table = new EffectTable(ledger.store);
  const [open] = table.open();
  if (open === undefined) throw new Error("no effect is open");
  table.note(open, TOLD.evidence);
  table.late(open, TOLD.late);
  table.latch({ threadId: "u", matter: "matter", effectId: open.id, code: "UNKNOWN_OUTCOME", message: TOLD.latch });
  table.release("matter", TOLD.person, TOLD.evidence);
  await resolve(ledger, open.id, { as: "failed", by: TOLD.person, evidence: TOLD.evidence });
  const checkpoint = checkpointOf({ topic: "nothing" });
  const about = { ...LOOP, about: TOLD.metadata };
  await checkpointer.put(thread("v"), checkpoint, about, checkpoint.channel_versions);
  await tellWaits(checkpointer);
  await checkpointer.putArtifact(TOLD.artifact, { threadId: "t", name: TOLD.artifactName });
}

/** A memo, an event that is refused, one that is taken, one that is kept, and another try later on. */
async function tellWaits(checkpointer: SlimSaver): Promise<void> {
  const ledger = ledgerOf(checkpointer);
  const schema = z.string().refine((payload) => payload !== TOLD.refusedEvent, { error: () => TOLD.refusedEvent });
  const app = new StateGraph(State)
    .addNode("wait", async () => {
      const value = await memo("draft", { to: TOLD.memoArgs }, () => TOLD.memoValue);
      const event = await waitForEvent("paid", { schema });
      return { log: [value, event] };
    })
    .addNode("again", () => retryLater({ after: "1h", reason: TOLD.waitReason }))
    .addEdge(START, "wait")
    .addEdge("wait", "again")
    .compile({ checkpointer });
  const deliver = (name: string, payload: string): Promise<unknown> =>
    deliverEvent(ledger, { threadId: "w", name, id: payload.length.toString(), payload });
  for (const payload of [TOLD.refusedEvent, TOLD.event]) await deliver("paid", payload);
  await deliver("unpaid", TOLD.keptEvent);
  const config = { configurable: { thread_id: "w" } };
  await app.invoke({ log: [] }, config);
}

/** All bytes of a database with its log, and all that its columns hold, also what is deflated in them. */
export function everythingIn(file: string): string {
  const files = [file, `${file}-wal`].filter((name) => existsSync(name)).map((name) => readFileSync(name, "latin1"));
  const handle = new Database(file, { readonly: true });
  const tables = handle.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all() as string[];
  const values = tables.flatMap((table) => handle.prepare(`SELECT * FROM "${table}"`).raw().all() as unknown[][]);
  handle.close();
  const texts = values.flat().map((value) => (Buffer.isBuffer(value) ? readings(value) : String(value)));
  return [...files, ...texts].join("\n");
}

function readings(bytes: Buffer): string {
  const inflated = [undefined, BUILT_IN_DICTIONARY].map((dictionary) => {
    try {
      return inflateRawSync(bytes, dictionary === undefined ? {} : { dictionary }).toString("latin1");
    } catch {
      return "";
    }
  });
  return [bytes.toString("latin1"), ...inflated].join("\n");
}
