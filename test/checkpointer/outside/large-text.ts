import { createHash } from "node:crypto";

/** A text of 200,000 characters that deflates to about three quarters, the same in every process. */
export function largeText(number: number): string {
  let block = createHash("sha512").update(`text ${number}`).digest();
  const parts: string[] = [];
  while (parts.length * 88 < 200_000) {
    parts.push(block.toString("base64"));
    block = createHash("sha512").update(block).digest();
  }
  return parts.join("");
}
