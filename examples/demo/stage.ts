import type { Colors } from "../../src/cli/colors.js";
import { printable } from "../../src/cli/terminal-text.js";

/** Where the scenes play: a folder for the databases, a terminal, and a record of what was promised and did not hold. */
export class Stage {
  readonly kept: string[] = [];
  readonly broken: string[] = [];

  constructor(
    readonly folder: string,
    readonly colors: Colors,
  ) {}

  title(number: number, of: number, title: string): void {
    console.log(`\n${this.colors.inverse(` ${number}/${of} `)} ${this.colors.bold(title)}`);
  }

  /** What happens. */
  step(text: string): void {
    console.log(`  ${this.colors.dim("›")} ${text}`);
  }

  /** What a customer or the model says; it is shown, and can do nothing to the terminal. */
  says(who: string, text: string): void {
    console.log(`  ${this.colors.cyan(`${who}:`)} ${printable(text)}`);
  }

  /** Text as it was shown to a person. */
  quote(text: string): void {
    for (const line of text.split("\n")) console.log(`  ${this.colors.yellow("│")} ${printable(line)}`);
  }

  /** Lines that are safe already, colours and all. */
  show(text: string): void {
    for (const line of text.split("\n")) console.log(`    ${line}`.trimEnd());
  }

  /** A promise of the demo, checked. */
  promise(what: string, holds: boolean): void {
    (holds ? this.kept : this.broken).push(what);
    console.log(`  ${holds ? this.colors.green("✓") : this.colors.red("✗ NOT SO:")} ${what}`);
  }
}

export interface Scene {
  readonly title: string;
  play(stage: Stage): Promise<void>;
}
