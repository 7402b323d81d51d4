import { hash } from "node:crypto";

/** A short name of a text: 48 bits of its SHA-256. Nobody reads the text from it. */
export function token(...parts: readonly string[]): string {
  return hash("sha256", parts.length === 1 ? (parts[0] ?? "") : parts.join("\u0000"), "base64url").slice(0, 8);
}

/** A name for an id, quickly made: 53 bits, and no secret behind them. */
export function shortName(id: string): string {
  let [one, two] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < id.length; at += 1) {
    const code = id.charCodeAt(at);
    one = Math.imul(one ^ code, 2654435761);
    two = Math.imul(two ^ code, 1597334677);
  }
  one = Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(two ^ (two >>> 13), 3266489909);
  two = Math.imul(two ^ (two >>> 16), 2246822507) ^ Math.imul(one ^ (one >>> 13), 3266489909);
  return (4294967296 * (2097151 & two) + (one >>> 0)).toString(36);
}
