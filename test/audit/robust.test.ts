import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findingsOf } from "../../src/audit/engine.js";
import { audit } from "../../src/audit/index.js";
import { folderOf, UNSAFE } from "./folder.js";
import { memoryProject } from "./memory-project.js";

const TABLES = join(import.meta.dirname, "rules");
const CODE = readdirSync(TABLES).map((name) => readFileSync(join(TABLES, name), "utf8"));
const SNIPPETS = CODE.flatMap((text) => [...text.matchAll(/^ {4}`([^`]+)`/gm)].map(([, snippet = ""]) => snippet));
const HEAD = 'import { interrupt, StateGraph, task, Command } from "@langchain/langgraph";\n';

const snippet = fc.constantFrom(...SNIPPETS);
const WORDS = /\s+|[A-Za-z_$][\w$]*|\d+|"[^"]*"|=>|[^\sA-Za-z_$\d]/g;

/** Whatever is in the files, there is an answer, and it is the same one each time. */
function isAnswered(texts: Readonly<Record<string, string>>): void {
  const once = findingsOf(memoryProject(texts), { root: "/" });
  const again = findingsOf(memoryProject(texts), { root: "/" });
  expect(again).toEqual(once);
}

it("a NUL in a string is part of the program, and a video that is called .ts is none", async () => {
  const nul = `const key = "a\0b";\n`;
  const cwd = folderOf({
    "node.ts": `// ${"-".repeat(600)}\n${nul}${UNSAFE}`,
    "video.ts": `G@\0\u0010${"\0".repeat(200)}`,
  });
  const { findings, unparsable } = await audit(["."], { cwd });
  expect(findings.map(({ code }) => code)).toEqual(["WP101"]);
  expect(unparsable).toEqual(["video.ts"]);
});

describe("no source makes the auditor fail", () => {
  it("that is cut off anywhere", () => {
    fc.assert(
      fc.property(snippet, fc.double({ min: 0, max: 1, noNaN: true }), (text, share) => {
        isAnswered({ "/main.ts": HEAD + text.slice(0, Math.floor(text.length * share)) });
      }),
      { numRuns: 150 },
    );
  });

  it("whose words are in another order", () => {
    fc.assert(
      fc.property(snippet, fc.nat(), fc.nat(), (text, from, to) => {
        const words = text.match(WORDS) ?? [];
        const [word = ""] = words.splice(from % words.length, 1);
        words.splice(to % (words.length + 1), 0, word);
        isAnswered({ "/main.ts": HEAD + words.join("") });
      }),
      { numRuns: 150 },
    );
  });

  it("that lost some of its words", () => {
    fc.assert(
      fc.property(snippet, fc.array(fc.nat(), { minLength: 1, maxLength: 4 }), (text, gone) => {
        const words = text.match(WORDS) ?? [];
        for (const each of gone) words.splice(each % Math.max(1, words.length), 1);
        isAnswered({ "/main.ts": HEAD + words.join("") });
      }),
      { numRuns: 150 },
    );
  });

  it("that is put together from several, in files that import each other", () => {
    fc.assert(
      fc.property(fc.array(snippet, { minLength: 2, maxLength: 4 }), (texts) => {
        const files = texts.map((text, index) => [
          `/f${index}.ts`,
          `${HEAD}import * as other from "./f${(index + 1) % texts.length}.js";\nexport * from "./f${(index + 1) % texts.length}.js";\n${text}\nexport const again = () => other.again();`,
        ]);
        isAnswered(Object.fromEntries(files) as Record<string, string>);
      }),
      { numRuns: 60 },
    );
  });

  it("that calls itself in every way", () => {
    isAnswered({
      "/main.ts": `${HEAD}
const a = async (f = a) => (await b(f)) ?? a(a);
const b = async (f) => f(b) && interrupt(await a(f));
class C extends C { x = this.x; y = () => this.y(); static z = C.z; [C.z]() { return super.x; } }
const o = { ...o, get p() { return o.p; }, q: (...r) => o.q(...r) };
let v = v; v = v.v; [v] = v; ({ v } = v);
export { a as default, o }; export * from "./main.js";
new StateGraph({}).addNode("a", a).addNode("c", new C().y).addNode("o", o.q);
label: for (;;) { try { continue label; } finally { break label; } }`,
    });
  });
});
