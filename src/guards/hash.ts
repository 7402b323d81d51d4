import { hash } from "node:crypto";

/** A short name of a text: 48 bits of its SHA-256. Nobody reads the text from it. */
export function token(...parts: readonly string[]): string {
  return hash("sha256", parts.length === 1 ? (parts[0] ?? "") : parts.join("\u0000"), "base64url").slice(0, 8);
}
