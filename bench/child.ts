import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { basename } from "node:path";
import { ROOT } from "./root.js";

/** A run that is traced would measure the tracing. */
const UNTRACED = { LANGSMITH_TRACING: "false", LANGCHAIN_TRACING_V2: "false" };

/**
 * Runs a TypeScript file in a fresh process, with `task` as its JSON argument, and returns what it answered.
 * The child's output goes to stderr: stdout belongs to the figures.
 */
export async function inChild<Answer>(file: string, task: unknown): Promise<Answer> {
  const child = fork(file, [JSON.stringify(task)], {
    cwd: ROOT,
    execArgv: ["--import", "tsx"],
    env: { ...process.env, ...UNTRACED },
    stdio: ["ignore", 2, 2, "ipc"],
  });
  const answers: Answer[] = [];
  child.on("message", (message) => answers.push(message as Answer));
  const stop = (): boolean => child.kill();
  process.once("exit", stop);
  await exited(child, file).finally(() => process.off("exit", stop));
  if (answers.length !== 1) throw new Error(`${basename(file)} gave ${answers.length} answers.`);
  return answers[0]!;
}

async function exited(child: ChildProcess, file: string): Promise<void> {
  const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
  if (code !== 0) throw new Error(`${basename(file)} ended with ${signal ?? `exit code ${code}`}.`);
}

/**
 * The child's side: does the task of the command line and answers its parent. Started by hand, for a profile, it prints
 * the answer: `node --cpu-prof --import tsx <file> '<task as JSON>'`.
 */
export async function answerTask<Task>(work: (task: Task) => Promise<unknown>): Promise<void> {
  const answer = await work(JSON.parse(process.argv[2] ?? "null") as Task);
  if (process.send === undefined) console.log(JSON.stringify(answer));
  else process.send(answer, () => process.disconnect());
}
