import { Command } from "@langchain/langgraph";
import { resume } from "../../src/nodes/index.js";
import { atDesk, onThread } from "./desk.js";
import { lastWords } from "./transcript.js";

/** One piece of work for a process of its own. */
export interface Errand {
  readonly folder: string;
  readonly threadId: string;
  /**
   * `approve-and-die`: a person says yes, the way any LangGraph front end does, and the process is killed after the
   * booking call went out and before anybody could note what came of it. `resume`: continue, whatever happened before.
   */
  readonly what: "approve-and-die" | "resume";
}

/** What the process tells, if it lives to tell. */
export interface Report {
  readonly status: "finished" | "waiting";
  readonly lastWords: string;
}

const { folder, threadId, what } = JSON.parse(process.argv[2] ?? "") as Errand;
const config = onThread({ threadId });

async function approveAndDie(): Promise<never> {
  const approved = new Command({ resume: { decisions: [{ type: "approve" }] } });
  await atDesk(folder, ({ app }) => app.invoke(approved, config), pullThePlug);
  throw new Error("The booking was not made, so nobody was killed.");
}

/** SIGKILL: no handler runs, nothing is flushed, nothing is said. */
function pullThePlug(): void {
  process.kill(process.pid, "SIGKILL");
  // The signal takes a moment; nothing may happen in it.
  for (;;);
}

async function goOn(): Promise<Report> {
  const { status, values } = await atDesk(folder, ({ app }) => resume(app, config));
  return { status, lastWords: lastWords(values) };
}

process.once("disconnect", () => process.exit());
const report = await (what === "resume" ? goOn() : approveAndDie());
process.send?.(report, () => process.disconnect());
