/** Two processes answer one approval at the same moment, again and again: what was approved happens once. */
import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { SlimSaver } from "../../src/checkpointer/slim-saver.js";
import { ledgerOf, pendingApprovals, resume } from "../../src/nodes/index.js";
import type { ResumableGraph } from "../../src/nodes/index.js";
import { fakeDownstream } from "../../src/testing/index.js";
import { compiled } from "../airline/compile.js";
import { FORMS, refundApp } from "./refund.js";
import type { Form } from "./refund.js";

/** How a process answers: by approval id, by `decide` with the graph, or as a plain UI does. */
export const WAYS = ["resume", "decide", "command"] as const;
export type Way = (typeof WAYS)[number];

export interface Start {
  readonly database: string;
  readonly bank: string;
  readonly seed: number;
  readonly who: string;
}

export interface Round {
  readonly thread: string;
  readonly approvalId: string;
  readonly form: Form;
  readonly way: Way;
  /** The moment at which both begin, in milliseconds since the epoch. */
  readonly at: number;
}

/** How an answer ended: "went on", or the code of its error. */
export interface Answer {
  readonly said: string;
}

export interface RaceVerdict {
  readonly rounds: number;
  readonly calls: number;
  /** How often each pair of answers came. */
  readonly answers: Readonly<Record<string, number>>;
  readonly breaches: readonly string[];
}

/** Both processes are told beforehand, so that none begins later than the other. */
const NOTICE_MS = 4;

export interface RacePlan {
  readonly rounds: number;
  readonly seed: number;
  readonly forms?: readonly Form[];
}

export async function raceDrill({ rounds, seed, forms = FORMS }: RacePlan, folder: string): Promise<RaceVerdict> {
  const program = await compiled(join(import.meta.dirname, "fixtures/approver.ts"), folder);
  const files = { database: join(folder, "race.db"), bank: join(folder, "race-bank"), seed };
  const saver = SlimSaver.fromConnString(files.database);
  const processes = await Promise.all(["ann", "bob"].map((who) => started(program, { ...files, who })));
  const bank = fakeDownstream({ seed, file: files.bank });
  const answers: Record<string, number> = {};
  const breaches: string[] = [];
  try {
    for (let index = 0; index < rounds; index += 1) {
      const form = forms[index % forms.length]!;
      const way = WAYS[Math.floor(index / forms.length) % WAYS.length]!;
      const app = refundApp(form, saver, bank) as unknown as ResumableGraph;
      const { said, ended, receipt } = await oneRound({ saver, app, processes, form, way, thread: `round-${index}` });
      const pair = `${way}: ${said.toSorted().join(" + ")}`;
      answers[pair] = (answers[pair] ?? 0) + 1;
      if (ended !== "done" || receipt === undefined)
        breaches.push(`round-${index} (${form}, ${way}) stands at ${ended}.`);
    }
  } finally {
    for (const child of processes) child.disconnect();
    await saver.close();
  }
  return { rounds, calls: bank.calls.length, answers, breaches: [...breaches, ...paidOnce(rounds, bank.calls)] };
}

interface Race {
  readonly saver: SlimSaver;
  readonly app: ResumableGraph;
  readonly processes: readonly ChildProcess[];
  readonly form: Form;
  readonly way: Way;
  readonly thread: string;
}

async function oneRound({ saver, app, processes, form, way, thread }: Race) {
  const config = { configurable: { thread_id: thread } };
  await app.invoke({ order: thread } as never, config as never);
  const [approval] = await pendingApprovals(ledgerOf(saver), { threadId: thread });
  const round: Round = { thread, approvalId: approval?.id ?? "", form, way, at: Date.now() + NOTICE_MS };
  const said = await Promise.all(
    processes.map(async (child) => {
      const answer = once(child, "message") as Promise<[Answer]>;
      child.send(round);
      return (await answer)[0].said;
    }),
  );
  // Whoever comes by later finds nothing that is left to do, or does it.
  const { values } = (await resume(app, config)) as { values: { receipt?: unknown } };
  const ended = (await saver.position(thread))?.state;
  return { said, ended, receipt: values.receipt };
}

function paidOnce(rounds: number, calls: readonly { readonly value: unknown }[]): string[] {
  const orders = calls.map(({ value }) => (value as { order: string }).order);
  return Array.from({ length: rounds }, (_, index) => `round-${index}`).flatMap((order) => {
    const times = orders.filter((one) => one === order).length;
    return times === 1 ? [] : [`${order} was paid ${times} times.`];
  });
}

async function started(program: string, start: Start): Promise<ChildProcess> {
  const child = fork(program, [JSON.stringify(start)], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: { ...process.env, LANGSMITH_TRACING: "false" },
  });
  await once(child, "message");
  return child;
}
