const SPECIAL = /[.+?^${}()|[\]\\]/g;

/**
 * A test for names by patterns in which `*` stands for any text; the rest is taken as it is.
 *
 * @example matcher(["*_status", "wait*"])("job_status"); // true
 */
export function matcher(patterns: readonly string[]): (name: string) => boolean {
  if (patterns.length === 0) return () => false;
  const parts = patterns.map((pattern) => pattern.replace(SPECIAL, "\\$&").replaceAll(/\*+/g, ".*"));
  const all = new RegExp(`^(?:${parts.join("|")})$`, "s");
  return (name) => all.test(name);
}
