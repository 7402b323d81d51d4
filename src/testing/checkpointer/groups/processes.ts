import { Command } from "@langchain/langgraph";
import { holds, same } from "../../claims.js";
import type { Group } from "../../suite.js";
import { at, idsOf, read } from "../checkpoints.js";
import { GRAPHS } from "../graphs.js";
import type { GraphName } from "../graphs.js";
import type { Moment, RunJob } from "../jobs.js";
import type { Trial } from "../trial.js";

const COMPLETE: Readonly<Record<GraphName, readonly string[]>> = {
  chain: ["start", "first", "second", "third"],
  fork: ["start", "left", "right", "join"],
  question: ["start", "before", "ask: yes", "after"],
};

/** Runs a graph in a child until `stopAt`, kills it there, and goes on here. Returns the nodes that ran here. */
async function killedAndContinued(
  trial: Trial,
  job: Pick<RunJob, "graph" | "durability"> & { stopAt: Moment },
): Promise<string[]> {
  const child = await trial.child();
  child.do({ do: "run", thread: trial.thread(), input: { log: ["start"] }, ...job });
  await child.until(job.stopAt);
  await child.kill();
  const ran: string[] = [];
  const app = GRAPHS[job.graph]((node) => void ran.push(node)).compile({ checkpointer: trial.saver });
  const config = at({ thread: trial.thread() });
  const { log } = await app.invoke(null, config);
  const claim = `A process was killed at the moment "${job.stopAt}" under durability "${job.durability}". Continued, the thread`;
  same(log, COMPLETE[job.graph], `${claim} returns another state than an undisturbed run.`);
  same((await app.getState(config)).values, { log }, `${claim} holds another state than it returned.`);
  return ran;
}

/** Processes that are killed in the middle of a run. Needs `child`. */
export const kills: Group<Trial> = {
  title: "a process that is killed",
  patient: true,
  checks: {
    "in a node: the nodes before it do not run again": async (trial) => {
      const ran = await killedAndContinued(trial, { graph: "chain", durability: "sync", stopAt: "node second" });
      same(
        ran,
        ["second", "third"],
        "After a kill, other nodes ran than the one that was interrupted and those after it.",
      );
    },

    "after a task's writes were stored: the task does not run again": async (trial) => {
      const stopAt = "writes of first stored";
      const ran = await killedAndContinued(trial, { graph: "chain", durability: "sync", stopAt });
      holds(!ran.includes("first"), "A task whose writes were stored before the kill ran again.");
    },

    "before a checkpoint was stored: its step is made up for": async (trial) => {
      const stopAt = "checkpoint of step 1 coming";
      const ran = await killedAndContinued(trial, { graph: "chain", durability: "sync", stopAt });
      same(
        ran.slice(-2),
        ["second", "third"],
        "After a kill before a checkpoint was stored, the nodes after it did not run.",
      );
    },

    "after a checkpoint was stored, while others are on their way: its step does not run again": async (trial) => {
      const stopAt = "checkpoint of step 1 stored";
      const ran = await killedAndContinued(trial, { graph: "chain", durability: "async", stopAt });
      holds(!ran.includes("first"), "A step whose checkpoint was stored before the kill ran again.");
    },

    "in one of two tasks that run at once: the other one does not run again": async (trial) => {
      const stopAt = "writes of left stored";
      const ran = await killedAndContinued(trial, { graph: "fork", durability: "sync", stopAt });
      holds(
        !ran.includes("left"),
        "A task that had finished before the kill ran again, because one beside it had not.",
      );
      same(
        ran.filter((node) => node === "join").length,
        1,
        "The node that joins two tasks did not run once after the kill.",
      );
    },

    "while a question waits: the answer is taken by another process": async (trial) => {
      const child = await trial.child();
      child.do({ do: "run", graph: "question", thread: trial.thread(), input: { log: ["start"] }, durability: "sync" });
      await child.until("done");
      await child.kill();
      const app = GRAPHS.question(() => undefined).compile({ checkpointer: trial.saver });
      const { log } = await app.invoke(new Command({ resume: "yes" }), at({ thread: trial.thread() }));
      same(log, COMPLETE.question, "A question that was asked before a kill cannot be answered after it.");
    },
  },
};

/** Processes that write at the same time. Needs `child`. */
export const writers: Group<Trial> = {
  title: "processes that write at the same time",
  patient: true,
  checks: {
    "four of them, into threads of their own, lose nothing and see no lock": async (trial) => {
      const names = ["a", "b", "c", "d"].map((name) => trial.thread(name));
      const children = await Promise.all(names.map(() => trial.child()));
      children.forEach((child, index) => {
        child.do({ do: "write", thread: names[index] ?? "", checkpoints: 50 });
      });
      const reports = await Promise.all(children.map((child) => child.until("done")));
      for (const [index, thread] of names.entries()) {
        const ids = await idsOf(trial.saver, { thread });
        same(ids, [...(reports[index]?.log ?? [])].reverse(), "Checkpoints of one of several processes are lost.");
        const { checkpoint, pendingWrites } = await read(trial.saver, { thread });
        same(
          [checkpoint.channel_values.step, pendingWrites],
          [49, [["task", "step", 49]]],
          "The newest state of one of several processes is another one.",
        );
      }
    },
  },
};

/** Processes that race for one thread. Needs `child`, and the claim of `ownership`. */
export const racers: Group<Trial> = {
  title: "two processes on one thread",
  patient: true,
  checks: {
    "of two that answer one question at once, exactly one advances": async (trial) => {
      const app = GRAPHS.question(() => undefined).compile({ checkpointer: trial.saver });
      const config = at({ thread: trial.thread() });
      await app.invoke({ log: ["start"] }, config);
      const children = await Promise.all([trial.child(), trial.child()]);
      const waitAt = "node ask";
      children.forEach((child, index) => {
        const input = { resume: `answer ${index}` };
        child.do({ do: "run", graph: "question", thread: trial.thread(), input, durability: "sync", waitAt });
      });
      // Both have read the question before either may go on: none can be done before the other begins.
      await Promise.all(children.map((child) => child.until(waitAt, "done", "failed")));
      for (const child of children) child.do({ do: "go" });
      const reports = await Promise.all(children.map((child) => child.until("done", "failed")));
      const winners = reports.flatMap((report) => (report.event === "done" ? [report.log] : []));
      same(
        winners.length,
        1,
        "Two processes answered one question at once. Exactly one may succeed; the other has to get an error.",
      );
      same(
        (await app.getState(config)).values,
        { log: winners[0] },
        "The thread is not where the process that succeeded has left it.",
      );
    },
  },
};
