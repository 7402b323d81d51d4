import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sourceFiles } from "../source-files.js";

const PAGES = join(import.meta.dirname, "../../docs/errors");

const codes = [...new Set(sourceFiles().flatMap(({ text }) => codesIn(text)))].sort();
const pages = readdirSync(PAGES)
  .filter((name) => name.endsWith(".md"))
  .map((name) => name.slice(0, -".md".length));

function codesIn(text: string): string[] {
  return [...text.matchAll(/readonly code(?::[^=;]+)? = "([^"]+)"/g)].map((match) => match[1]!);
}

/** The texts of a page's headings, whatever their level. */
function headings(page: string): string[] {
  return [...page.matchAll(/^#+ +(.+?) *$/gm)].map((match) => match[1]!);
}

describe("every error code has a page that says what happened and what to do", () => {
  it("finds the codes in the source", () => {
    expect(codes).toContain("INVALID_INPUT");
  });

  it.each(codes)("%s", (code) => {
    expect(pages, `docs/errors/${code}.md is missing`).toContain(code);
    const found = headings(readFileSync(join(PAGES, `${code}.md`), "utf8"));
    expect(found.some((heading) => heading.includes(code))).toBe(true);
    expect(found).toEqual(expect.arrayContaining(["What happened", "What to do"]));
  });

  it("no page is about a code that no error has", () => {
    expect(pages.filter((page) => page !== "README" && !codes.includes(page))).toEqual([]);
  });
});
