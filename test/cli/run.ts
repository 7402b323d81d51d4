import { colorsFor } from "../../src/cli/colors.js";
import { run } from "../../src/cli/program.js";
import type { Terminal } from "../../src/cli/terminal.js";

export interface Printed {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command and keeps what it prints. */
export async function waypoint(args: readonly string[], terminal: Partial<Terminal> = {}): Promise<Printed> {
  const printed = { stdout: "", stderr: "" };
  const code = await run(args, {
    colors: colorsFor({}, {}),
    out: (text) => (printed.stdout += text),
    err: (text) => (printed.stderr += text),
    exitCode: 0,
    ...terminal,
  });
  return { code, ...printed };
}
