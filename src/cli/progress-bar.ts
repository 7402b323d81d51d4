import cliProgress from "cli-progress";
import type { Progress } from "../checkpointer/index.js";
import { printable } from "./terminal-text.js";

const FORMAT = "{bar} {percentage}%  {value} of {total} checkpoints  {thread}";
const LONGEST_ID = 40;

export interface ProgressBar {
  show(progress: Progress): void;
  /** Takes the bar off the terminal. */
  stop(): void;
}

/** A bar on a terminal; where there is none, nothing. */
export function progressBar(stream: NodeJS.WritableStream | undefined): ProgressBar {
  if (stream === undefined) return { show: () => undefined, stop: () => undefined };
  const bar = new cliProgress.SingleBar(
    { stream, format: FORMAT, clearOnComplete: true, hideCursor: true },
    cliProgress.Presets.shades_classic,
  );
  let started = false;
  return {
    show({ checkpoints, ofCheckpoints, thread }) {
      if (!started) bar.start(ofCheckpoints, 0, { thread: "" });
      started = true;
      bar.update(checkpoints, { thread: printable(thread).slice(0, LONGEST_ID) });
    },
    stop() {
      if (started) bar.stop();
    },
  };
}
