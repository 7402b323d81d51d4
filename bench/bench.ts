import type { Command } from "commander";

/** One benchmark: a file that says what it measures and adds its own subcommand to `npm run bench`. */
export interface Bench {
  readonly name: string;
  readonly summary: string;
  /** A fresh subcommand; parsing no arguments runs the benchmark with its defaults. */
  command(): Command;
}

/** The benchmark cannot run as asked; the message is for the terminal, without a stack. */
export class CannotRunError extends Error {}
