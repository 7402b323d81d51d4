import { once } from "node:events";
import { Command } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { InvalidInputError } from "../../shared/errors.js";
import { describe } from "../claims.js";
import { LOOP, at, checkpointOf } from "./checkpoints.js";
import { GRAPHS } from "./graphs.js";
import type { LogApp } from "./graphs.js";
import type { Job, Moment, Report, RunJob, WriteJob } from "./jobs.js";

/**
 * The other side of `child` in a `CheckpointerInitializer`: does in this process what the contract asks for, with a
 * checkpointer on the storage of the test, until it is killed or done.
 *
 * @param open gets what `parameters` of the initializer returned, and opens the storage
 * @throws InvalidInputError when this module was not started by the contract
 * @example
 * // my-saver.child.ts
 * checkpointerChild((parameters) => MySaver.open((parameters as { file: string }).file));
 */
export function checkpointerChild(
  open: (parameters: unknown) => BaseCheckpointSaver | Promise<BaseCheckpointSaver>,
): void {
  const [, , parameters] = process.argv;
  if (parameters === undefined || process.send === undefined) {
    throw new InvalidInputError("checkpointerChild runs in a process that checkpointerContract starts, not by itself.");
  }
  const opened = Promise.resolve(JSON.parse(parameters) as unknown).then(open);
  process.once("message", (job: Job) => {
    void opened
      .then((saver) => carryOut(saver, job))
      .then((log) => report({ event: "done", log }))
      .catch((error: unknown) => report({ event: "failed", message: describe(error) }))
      .finally(() => process.exit());
  });
  // A storage that cannot be opened is reported when the job comes.
  void opened.catch(() => undefined).then(() => report({ event: "ready" }));
}

/** Resolves when the message is on its way, so that the process may end. */
async function report(message: Report): Promise<void> {
  await new Promise<void>((resolve) => {
    process.send?.(message, undefined, undefined, () => {
      resolve();
    });
  });
}

async function carryOut(saver: BaseCheckpointSaver, job: Job): Promise<string[]> {
  return job.do === "run" ? run(saver, job) : write(saver, job);
}

async function run(
  saver: BaseCheckpointSaver,
  { graph, thread, input, durability, stopAt, waitAt }: RunJob,
): Promise<string[]> {
  let stopped = false;
  // From that moment on nothing else goes on either: what would be stored after it is not.
  const pass = async (moment: Moment): Promise<void> => {
    stopped ||= moment === stopAt;
    const told = moment === waitAt ? once(process, "message") : undefined;
    await report({ event: moment });
    if (stopped) await new Promise<never>(() => undefined);
    await told;
  };
  announceCalls(saver, pass);
  const app = GRAPHS[graph]((node) => pass(`node ${node}`)).compile({ checkpointer: saver }) as LogApp;
  const given = input !== null && "resume" in input ? new Command({ resume: input.resume }) : input;
  const { log } = await app.invoke(given, { ...at({ thread }), durability });
  return log;
}

/** Makes this saver say when a checkpoint comes and is stored, and when what a node wrote is. */
function announceCalls(saver: BaseCheckpointSaver, pass: (moment: Moment) => Promise<void>): void {
  const [put, putWrites] = [saver.put.bind(saver), saver.putWrites.bind(saver)];
  saver.put = async (config, checkpoint, metadata, newVersions) => {
    await pass(`checkpoint of step ${metadata.step} coming`);
    const stored = await put(config, checkpoint, metadata, newVersions);
    await pass(`checkpoint of step ${metadata.step} stored`);
    return stored;
  };
  saver.putWrites = async (config, writes, ...task) => {
    await putWrites(config, writes, ...task);
    const logged = writes.find(([channel]) => channel === "log")?.[1];
    if (Array.isArray(logged)) await pass(`writes of ${String(logged[0])} stored`);
  };
}

async function write(saver: BaseCheckpointSaver, { thread, checkpoints }: WriteJob): Promise<string[]> {
  const ids: string[] = [];
  for (let step = 0; step < checkpoints; step += 1) {
    const checkpoint = checkpointOf({ step, text: `${thread} says ${step}. `.repeat(50) }, step + 1);
    const stored = await saver.put(at({ thread, id: ids.at(-1) }), checkpoint, LOOP, checkpoint.channel_versions);
    await saver.putWrites(stored, [["step", step]], "task");
    ids.push(checkpoint.id);
  }
  return ids;
}
