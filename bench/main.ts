import { Command } from "commander";
import pc from "picocolors";
import { CannotRunError } from "./bench.js";
import { BENCHES } from "./registry.js";

// Leaving through `exit` lets the scratch folders be removed.
process.once("SIGINT", () => process.exit(130));
process.once("SIGTERM", () => process.exit(143));

async function runAll(): Promise<void> {
  for (const { name, summary } of BENCHES) console.error(`${pc.bold(name)}  ${summary}`);
  for (const bench of BENCHES) await bench.command().parseAsync([], { from: "user" });
}

async function runNamed(args: string[]): Promise<void> {
  const program = new Command("bench").description("Benchmarks beside the peers; without a name, all of them.");
  for (const bench of BENCHES) program.addCommand(bench.command());
  await program.parseAsync(args, { from: "user" });
}

const args = process.argv.slice(2);
try {
  await (args.length === 0 ? runAll() : runNamed(args));
} catch (error) {
  if (!(error instanceof CannotRunError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
