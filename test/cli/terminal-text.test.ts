import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hidden, jsonLine, printable, widthOf } from "../../src/cli/terminal-text.js";

const HOSTILE = [
  ["an ANSI colour", "\u001b[31mred", "\\x1b[31mred"],
  ["a one-byte control sequence", "\u009b2J", "\\x9b2J"],
  ["a window title", "\u001b]0;owned\u0007", "\\x1b]0;owned\\x07"],
  ["an overwritten line", "approve\rreject", "approve\\rreject"],
  ["a forged line", "fine\nstate done", "fine\\nstate done"],
  ["a backspace", "no\b\byes", "no\\x08\\x08yes"],
  ["a right-to-left override", "txt\u202Eexe", "txt\\u{202e}exe"],
  ["an isolate", "\u2066a\u2069", "\\u{2066}a\\u{2069}"],
  ["an invisible space", "re\u200Bbook", "re\\u{200b}book"],
  ["a hidden tag", "a\u{E0041}", "a\\u{e0041}"],
  ["a line separator", "a\u2028b", "a\\u{2028}b"],
  ["a lone surrogate", "a\uD800b", "a\\u{d800}b"],
  ["a blank that is a letter", "a\u3164b", "a\\u{3164}b"],
] as const;

describe("printable text", () => {
  it.each(HOSTILE)("shows %s instead of obeying it", (_, text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it.each(["Zürich", "東京", "שלום", "✈️ 🎉", "a  b"])("leaves %s as it is", (text) => {
    expect(printable(text)).toBe(text);
  });

  it("is one line without control characters, whatever it was made from", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(printable(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      }),
    );
  });
});

describe("a line of JSON", () => {
  it("means the value it was made from, and has no control characters in it", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const line = jsonLine({ text });
        expect(JSON.parse(line)).toEqual({ text });
        expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      }),
    );
  });
});

it("a hidden value tells its length and nothing else", () => {
  expect([hidden("4111 1111"), hidden("x")]).toEqual(["…(9 characters)", "…(1 character)"]);
});

it.each([
  ["abc", 3],
  ["東京", 4],
  ["e\u0301", 1],
  ["🎉", 2],
] as const)("%s is %i columns wide", (text, columns) => {
  expect(widthOf(text)).toBe(columns);
});
