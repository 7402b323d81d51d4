#!/usr/bin/env node
import { once } from "node:events";
import { colorsFor } from "./colors.js";
import { run } from "./program.js";
import type { Terminal } from "./terminal.js";

// A reader that has seen enough, such as `head`, is no error.
process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => process.exit(code === "EPIPE" ? 0 : 1));

const terminal: Terminal = {
  colors: colorsFor(process.stdout, process.env),
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  exitCode: 0,
  ...(process.stderr.isTTY ? { progress: process.stderr } : {}),
  async drained() {
    if (process.stdout.writableNeedDrain) await once(process.stdout, "drain");
  },
};

process.exitCode = await run(process.argv.slice(2), terminal);
// What was printed goes out first.
if (terminal.ranApp) process.stdout.write("", () => process.stderr.write("", () => process.exit()));
