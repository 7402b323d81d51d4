import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "@langchain/langgraph";
import fc from "fast-check";
import { expect, it } from "vitest";
import { SlimSaver } from "../../../src/checkpointer/slim-saver.js";
import { decide } from "../../../src/nodes/decide.js";
import { deliverEvent } from "../../../src/nodes/deliver-event.js";
import { ledgerOf, type Ledger } from "../../../src/nodes/ledger.js";
import type { PendingQuestion } from "../../../src/nodes/pending-questions.js";
import { resolve } from "../../../src/nodes/resolve.js";
import { resume, type ResumeResult } from "../../../src/nodes/resume.js";
import { chain, happened, on, StillClock, type Chain } from "../effect/support.js";
import { expected, HOUR, nodesOf, Outside, program, type Program } from "./program.js";

/** A process: it opens the database, and knows nothing but what is in there. */
interface Process {
  readonly saver: SlimSaver;
  readonly ledger: Ledger;
  readonly app: Chain;
}

/** Whoever answers, in random order and by random ways. */
class Crowd {
  private readonly clock = new StillClock();
  private readonly outside = new Outside();
  private process: Process;

  constructor(
    private readonly path: string,
    private readonly nodes: Program,
    private readonly pick: (below: number) => number,
  ) {
    this.process = this.open();
  }

  async run(): Promise<unknown> {
    await this.attempt(() => this.process.app.invoke({}, on("t")));
    for (let step = 0; step < 200; step += 1) {
      if (this.pick(3) === 0) await this.restart();
      const found = await this.attempt(() => this.resume());
      if (found?.status === "finished") {
        const { log } = found.values as { log: unknown[] };
        await this.process.saver.close();
        return log;
      }
      if (found !== undefined) await this.attempt(() => this.answer(found));
    }
    throw new Error("The thread does not come to its end.");
  }

  /** Effects that reached the outside more than once, and memos that were taken more than once. */
  calledTwice(): string[] {
    const counted = [...this.outside.calls].filter(([id]) => /^(call effect|memo)/.test(id));
    return counted.filter(([, times]) => times > 1).map(([id]) => id);
  }

  private open(): Process {
    const saver = SlimSaver.fromConnString(this.path, { clock: this.clock });
    return { saver, ledger: ledgerOf(saver), app: chain(saver, nodesOf(this.nodes, this.outside)) };
  }

  private async restart(): Promise<void> {
    await this.process.saver.close();
    this.process = this.open();
  }

  /** A process that dies in the middle leaves what it has written. */
  private async attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (isRefusal(error)) return undefined;
      if ((error as Error).message !== "the process dies") throw error;
      await this.restart();
      return undefined;
    }
  }

  private resume(answers?: Record<string, unknown>): Promise<ResumeResult> {
    return resume(this.process.app as never, on("t"), answers);
  }

  private async answer({ pending, waits }: ResumeResult): Promise<unknown> {
    const question = pending[this.pick(pending.length)];
    if (question === undefined) return undefined;
    const retries = waits.some(({ kind }) => kind === "retry");
    const asksUs = question.approvalIds.length + question.waitIds.length > 0 || isEffects(question);
    switch (this.pick(6)) {
      case 0:
        // A run without an answer asks the same again.
        return this.process.app.invoke(null, on("t"));
      case 1:
        // What was meant for something else decides nothing of ours, whenever it comes.
        if (!asksUs || retries || pending.length > 1) return undefined;
        return this.process.app.invoke(new Command({ resume: "stray" }), on("t"));
      case 2:
        this.clock.time += HOUR;
        return undefined;
      default:
        return this.settle(question);
    }
  }

  private async settle(question: PendingQuestion): Promise<unknown> {
    const { value, approvalIds, interruptId, waitIds } = question;
    const { ledger } = this.process;
    if (approvalIds.length > 0) {
      const at = this.pick(approvalIds.length);
      const { actionRequests } = value as { actionRequests: { name: string }[] };
      const decision = { type: "reject", reason: own(actionRequests[at]!.name) } as const;
      const id = approvalIds[at]!;
      return this.pick(2) === 0 ? this.resume({ [id]: decision }) : decide(ledger, id, decision, { by: "ann" });
    }
    if (isEffects(question)) {
      const { effects } = value as { effects: { effectId: string; key: string }[] };
      const { effectId, key } = effects[this.pick(effects.length)]!;
      const said = happened(own(key));
      if (this.pick(2) === 0) return this.resume({ [interruptId]: { [effectId]: said } });
      return resolve(ledger, effectId, said as never);
    }
    if (waitIds.length > 0) return this.deliver(value as { waits: { id: string; kind: string; name?: string }[] });
    return this.resume({ [interruptId]: own((value as { question: string }).question) });
  }

  private async deliver({ waits }: { waits: { id: string; kind: string; name?: string }[] }): Promise<unknown> {
    const { id, kind, name } = waits[this.pick(waits.length)]!;
    if (kind !== "event" || name === undefined) {
      this.clock.time += HOUR;
      return undefined;
    }
    const payload = own(name);
    if (this.pick(2) === 0) return this.resume({ [id]: { payload, id: "e" } });
    return deliverEvent(this.process.ledger, { threadId: "t", name, id: "e", payload });
  }
}

function own(id: string): string {
  return `${id} got its own`;
}

function isEffects({ value }: PendingQuestion): boolean {
  return (value as { type?: unknown } | null)?.type === "waypoint.unknown_effect";
}

/** What was settled meanwhile is refused, and so is an answer to one of two effects; either changes nothing. */
const REFUSALS = new Set(["ALREADY_ANSWERED", "INVALID_ANSWER", "EFFECT_CLOSED"]);

function isRefusal(error: unknown): boolean {
  return REFUSALS.has(String((error as { code?: unknown }).code));
}

/** mulberry32: the same numbers for the same seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return below === 0 ? 0 : ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

it(
  "every answer reaches its own question, whatever a node asks, in whatever order, over whatever restarts",
  { timeout: 300_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "waypoint-slots-"));
    let runs = 0;
    const property = fc.asyncProperty(program, fc.integer(), async (nodes, seed) => {
      runs += 1;
      const crowd = new Crowd(join(folder, `${runs}.db`), nodes, numbers(seed));
      expect(await crowd.run()).toEqual(expected(nodes));
      expect(crowd.calledTwice()).toEqual([]);
    });
    try {
      await fc.assert(property, { numRuns: 150 });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
