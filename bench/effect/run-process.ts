import { answerTask } from "../child.js";
import { Stopwatch } from "../stopwatch.js";
import { countCommits } from "./commits.js";
import { CONTENDERS } from "./contenders.js";
import type { Contender, ContenderName } from "./contenders.js";

/** One run of a graph with many calls, in a process of its own. */
export interface RunTask {
  readonly contender: ContenderName;
  readonly file: string;
  readonly calls: number;
}

export interface RunAnswer {
  readonly ms: number;
  readonly cpuMs: number;
  readonly commits: number;
  /** Calls that reached the outside. */
  readonly made: number;
}

await answerTask(async ({ contender, file, calls }: RunTask): Promise<RunAnswer> => {
  const commits = countCommits();
  let made = 0;
  const { open }: Contender = CONTENDERS[contender];
  const { run, close } = open(file, (id) => {
    made += 1;
    return Promise.resolve(`receipt of ${id}`);
  });
  // Tables and statements are prepared by then.
  await run("warm-up", 1);
  made = 0;
  const before = commits();
  const watch = new Stopwatch();
  await watch.time(() => run("measured", calls));
  const answer = { ms: watch.ms, cpuMs: watch.cpuMs, commits: commits() - before, made };
  await close();
  return answer;
});
