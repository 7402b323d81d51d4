import { createLoopDetector } from "../../src/guards/index.js";
import { thisMachine } from "../machine.js";
import type { Machine } from "../machine.js";
import { median } from "../median.js";
import { HISTORIES, historyOf } from "./histories.js";
import type { History } from "./histories.js";

export interface DetectorPlan {
  readonly calls: number;
  readonly bytes: number;
  readonly runs: number;
  readonly seed: number;
}

export interface DetectorFigures {
  /** The whole history, read at once. */
  readonly foldMs: number;
  /** What the processor spent on that, whoever else kept the cores busy. */
  readonly foldCpuMs: number;
  /** One more call, with the whole list handed over again. */
  readonly oneMoreUs: number;
  readonly stateBytes: number;
  readonly verdicts: number;
}

export interface DetectorReport extends DetectorPlan {
  readonly bench: "detector";
  readonly histories: Readonly<Record<History, DetectorFigures>>;
  readonly machine: Machine;
}

/** The first runs warm the code up, and do not count. */
const WARM_UP = 3;
/** One more call is timed so many times per run. */
const MORE = 200;

export function measureDetector(plan: DetectorPlan): DetectorReport {
  const machine = thisMachine(["@langchain/core"]);
  const histories = Object.fromEntries(HISTORIES.map((kind) => [kind, figuresOf(kind, plan)]));
  return { bench: "detector", ...plan, histories: histories as Record<History, DetectorFigures>, machine };
}

function figuresOf(kind: History, { calls, bytes, runs, seed }: DetectorPlan): DetectorFigures {
  const messages = historyOf(kind, calls + MORE, bytes, seed);
  const history = messages.slice(0, -2 * MORE);
  const folds: number[] = [];
  const cpu: number[] = [];
  const more: number[] = [];
  let [stateBytes, verdicts] = [0, 0];
  for (let run = 0; run < WARM_UP + runs; run += 1) {
    const detector = createLoopDetector();
    const used = process.cpuUsage();
    const start = performance.now();
    verdicts = detector.observe(history).length;
    const folded = performance.now();
    const { user, system } = process.cpuUsage(used);
    const lists = Array.from({ length: MORE }, (_, at) => messages.slice(0, history.length + 2 * (at + 1)));
    const before = performance.now();
    for (const list of lists) detector.observe(list);
    const after = performance.now();
    stateBytes = Buffer.byteLength(JSON.stringify(detector.toJSON()));
    if (run < WARM_UP) continue;
    folds.push(folded - start);
    cpu.push((user + system) / 1000);
    more.push(((after - before) / MORE) * 1000);
  }
  return {
    foldMs: median(folds) ?? 0,
    foldCpuMs: median(cpu) ?? 0,
    oneMoreUs: median(more) ?? 0,
    stateBytes,
    verdicts,
  };
}
