import type { Finding, Severity } from "../finding.js";

const LEVELS = { high: "error", medium: "warning", low: "notice", info: "notice" } as const satisfies Record<
  Severity,
  string
>;

/** Workflow commands of GitHub Actions, one a line; nothing in a finding can begin another command. */
export function githubReport(findings: readonly Finding[]): string {
  return findings
    .map(({ code, rule, severity, message, fix, interrupt: { file, line, column } }) => {
      const properties = `file=${property(file)},line=${line},col=${column},title=${property(`${code} ${rule}`)}`;
      return `::${LEVELS[severity]} ${properties}::${data(`${message} ${fix}`)}`;
    })
    .join("\n");
}

/** As GitHub's own toolkit escapes them. */
function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A").replaceAll(CONTROLS, "?");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
