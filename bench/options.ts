import { randomInt } from "node:crypto";
import { InvalidArgumentError } from "commander";

/** What every benchmark takes beside its own options. */
export interface CommonOptions {
  readonly seed?: number;
  readonly json: boolean;
}

export const JSON_ONLY = ["--json", "only the JSON line on stdout"] as const;

export function countOf(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It takes a whole number of at least 1.");
}

export function seedOf(text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It takes a whole number.");
}

export function freshSeed(): number {
  return randomInt(2 ** 31);
}

/** Numbers separated by commas, ascending, without repeats. */
export function sizesOf(text: string): number[] {
  return [...new Set(text.split(",").map(countOf))].sort((a, b) => a - b);
}

/** Names separated by commas, in the order of `known`. */
export function saversOf<Name extends string>(known: readonly Name[]): (text: string) => Name[] {
  return (text) => {
    const asked = text.split(",");
    const unknown = asked.find((name) => !(known as readonly string[]).includes(name));
    if (unknown !== undefined) throw new InvalidArgumentError(`There is no saver "${unknown}".`);
    return known.filter((name) => asked.includes(name));
  };
}
