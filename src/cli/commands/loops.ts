import { Command } from "commander";
import { detectLoops } from "../../guards/index.js";
import type { Verdict } from "../../guards/index.js";
import { recordedRuns } from "../recorded-runs.js";
import { renderLoops } from "../render-loops.js";
import type { LoopsReport, LoopsTally, RunVerdicts } from "../render-loops.js";
import { print } from "../terminal.js";
import type { Terminal } from "../terminal.js";
import { hidden } from "../terminal-text.js";

interface Options {
  readonly json?: boolean;
  readonly redact: boolean;
}

/** `waypoint loops <file.jsonl>` */
export function loopsCommand(terminal: Terminal): Command {
  return new Command("loops")
    .description("replay recorded runs and say where the loop guard would remind or stop; runs no agent")
    .argument("<file>", "JSON Lines, one run a line: messages of chat completions or LangChain, or steps")
    .option("--json", "print one line of JSON")
    .option("--no-redact", "show the errors that are quoted")
    .action(async (file: string, options: Options) => {
      const report = await replay(file, options.redact);
      print(terminal, { text: renderLoops(report, terminal.colors), json: report }, options);
    });
}

async function replay(file: string, redact: boolean): Promise<LoopsReport> {
  const runs: RunVerdicts[] = [];
  const tallies = new Map<string, { runs: number; reminded: number; tripped: number }>();
  for await (const { id, messages, solved } of recordedRuns(file)) {
    const verdicts = detectLoops(messages);
    const label = solved === undefined ? "all" : solved ? "solved" : "unsolved";
    const tally = tallies.get(label) ?? { runs: 0, reminded: 0, tripped: 0 };
    tallies.set(label, tally);
    tally.runs += 1;
    if (verdicts.some(({ level }) => level === "remind")) tally.reminded += 1;
    if (verdicts.some(({ level }) => level === "trip")) tally.tripped += 1;
    const shown = redact ? verdicts.map((verdict) => redacted(verdict)) : verdicts;
    if (verdicts.length > 0) runs.push({ id, ...(solved === undefined ? {} : { solved }), verdicts: shown });
  }
  const order = ["solved", "unsolved", "all"];
  const rows = [...tallies].sort(([one], [other]) => order.indexOf(one) - order.indexOf(other));
  return { redacted: redact, tallies: rows.map(([label, tally]): LoopsTally => ({ label, ...tally })), runs };
}

/** Errors quote values; what is counted does not. */
function redacted(verdict: Verdict): Verdict {
  const { firstError, lastError, ...rest } = verdict.evidence;
  return {
    ...verdict,
    evidence: {
      ...rest,
      ...(firstError === undefined ? {} : { firstError: hidden(firstError) }),
      ...(lastError === undefined ? {} : { lastError: hidden(lastError) }),
    },
  };
}
