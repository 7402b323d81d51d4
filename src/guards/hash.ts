import { hash } from "node:crypto";

/** A short name of a text: 48 bits of its SHA-256. Nobody reads the text from it. */
export function token(...parts: readonly string[]): string {
  return hash("sha256", parts.length === 1 ? (parts[0] ?? "") : parts.join("\u0000"), "base64url").slice(0, 8);
}

const PLAIN = /^[\w.:-]+$/;
const MAX_ID = 24;

/** A name for an id: its end, which is what differs; a hash where an id has anything unusual in it. */
export function shortName(id: string): string {
  if (!PLAIN.test(id)) return token("id", id);
  return id.length <= MAX_ID ? id : id.slice(-MAX_ID);
}
