import type { Finding, Severity } from "../finding.js";

/** Paints a text, as picocolors does. */
export interface Paints {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly yellow: Paint;
  readonly cyan: Paint;
}
type Paint = (text: string) => string;

export interface TextOptions {
  readonly paints: Paints;
  /** Makes text from files and paths safe for a terminal. */
  readonly printable: (text: string) => string;
  /** The line of a file, for the code frame. */
  readonly lineOf: (file: string, line: number) => string | undefined;
}

const LONGEST = 120;

/** Findings for a person: where, what, the line itself, how one leads to the other, and what to do. */
export function textReport(findings: readonly Finding[], options: TextOptions): string {
  return findings.map((finding) => block(finding, options).join("\n")).join("\n\n");
}

function block(
  { code, rule, severity, message, fix, interrupt, effect, chain }: Finding,
  options: TextOptions,
): string[] {
  const { paints, printable } = options;
  const { file, line, column } = interrupt;
  const head = `${paints.bold(printable(`${file}:${line}:${column}`))}  ${colored(severity, paints)}  ${code} ${paints.dim(rule)}`;
  const calls = chain.map((link) => `    ${paints.dim("via")} ${printable(`${link.what}  ${link.file}:${link.line}`)}`);
  return [
    head,
    `  ${printable(message)}`,
    ...frame(file, line, "interrupt", options),
    ...calls,
    ...(effect === undefined
      ? []
      : frame(effect.file, effect.line, effect.file === file ? "effect" : `effect in ${effect.file}`, options)),
    `  ${paints.cyan("fix")} ${printable(fix)}`,
  ];
}

function frame(file: string, line: number, label: string, { paints, printable, lineOf }: TextOptions): string[] {
  const text = lineOf(file, line)?.trim();
  if (text === undefined || text === "") return [];
  const short = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  return [`    ${paints.dim(`${line} |`)} ${printable(short)}  ${paints.dim(`← ${printable(label)}`)}`];
}

function colored(severity: Severity, { red, yellow, dim, bold }: Paints): string {
  const paint = { high: red, medium: yellow, low: bold, info: dim } as const satisfies Record<Severity, Paint>;
  return paint[severity](severity);
}
