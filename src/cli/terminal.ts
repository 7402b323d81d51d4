import type { Colors } from "./colors.js";
import { jsonLine } from "./terminal-text.js";

/** Where a command prints, and what the process ends with. */
export interface Terminal {
  readonly colors: Colors;
  out(text: string): void;
  err(text: string): void;
  exitCode: number;
  /** Set when code of the user was loaded: it may keep handles open, and the process ends all the same. */
  ranApp?: boolean;
  /** Where a bar may show how far a long command is: stderr, when somebody looks at it. */
  readonly progress?: NodeJS.WritableStream;
  /** Resolves when what was printed has left the process; output of any length needs no more memory then. */
  drained?(): Promise<void>;
}

/** A command's result, for a person and for a program. */
export interface Result {
  readonly text: string;
  readonly json: unknown;
}

/** Prints one or the other. */
export function print(terminal: Terminal, { text, json }: Result, options: { readonly json?: boolean }): void {
  terminal.out(`${options.json === true ? jsonLine(json) : text}\n`);
}
