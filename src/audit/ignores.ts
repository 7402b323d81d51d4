import type { Finding } from "./finding.js";
import type { SourceFile } from "./project/source-file.js";

const IGNORE = /waypoint-ignore\s+(?<codes>WP\d+(?:\s*,\s*WP\d+)*)(?:\s+--\s*(?<reason>\S.*))?/;

/** A comment that silences findings in its own line and the next. */
export interface Ignore {
  readonly file: string;
  readonly line: number;
  readonly codes: readonly string[];
  /** Without one the comment silences nothing. */
  readonly reason: string | undefined;
}

export function ignoresIn(file: SourceFile, path: string): Ignore[] {
  if (!file.text.includes("waypoint-ignore")) return [];
  return file.comments.flatMap(({ text, end }) => {
    const { codes, reason } = IGNORE.exec(text)?.groups ?? {};
    if (codes === undefined) return [];
    return [
      {
        file: path,
        line: file.position(end - 1).line,
        codes: codes.split(",").map((code) => code.trim()),
        reason: reason?.trim(),
      },
    ];
  });
}

/** The findings that no comment silences, and the comments that silence none. */
export function withoutIgnored(
  findings: readonly Finding[],
  ignores: readonly Ignore[],
): { findings: Finding[]; unused: Ignore[] } {
  const used = new Set<Ignore>();
  const left = findings.filter((finding) => {
    const ignore = ignores.find((each) => each.reason !== undefined && silences(each, finding));
    if (ignore !== undefined) used.add(ignore);
    return ignore === undefined;
  });
  return { findings: left, unused: ignores.filter((ignore) => !used.has(ignore)) };
}

function silences({ file, line, codes }: Ignore, { code, interrupt, effect }: Finding): boolean {
  if (!codes.includes(code)) return false;
  return [interrupt, effect].some((place) => place?.file === file && (place.line === line || place.line === line + 1));
}
