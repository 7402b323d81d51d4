import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { audit } from "../../src/audit/index.js";
import { folderOf, UNSAFE } from "./folder.js";

const LANGGRAPH = 'import { interrupt } from "@langchain/langgraph";\n';

async function codesIn(files: Record<string, string>, options: object = {}): Promise<string[]> {
  const { findings } = await audit(["."], { cwd: folderOf(files), ...options });
  return findings.map(({ code, interrupt: { file, line } }) => `${code} ${file}:${line}`);
}

describe("a finding", () => {
  it("says where, what, how one leads to the other, and how often", async () => {
    const cwd = folderOf({
      "src/node.ts": `${LANGGRAPH}import { pay } from "./pay.js";\nexport async function node() {\n  await pay();\n  return interrupt("ok?");\n}\n`,
      "src/pay.ts":
        'import { appendFile } from "node:fs/promises";\nexport const pay = () => appendFile("log", "paid");\n',
    });
    const { findings, files } = await audit(["src"], { cwd });
    expect(files).toBe(2);
    expect(findings).toEqual([
      {
        code: "WP101",
        rule: "effect-before-interrupt",
        severity: "high",
        message: expect.stringContaining("appendFile()") as string,
        fix: expect.stringContaining("effect()") as string,
        interrupt: { file: "src/node.ts", line: 5, column: 10 },
        effect: { file: "src/pay.ts", line: 2, column: 26, what: "appendFile()" },
        chain: [{ file: "src/node.ts", line: 4, what: "pay()" }],
        repeats: 1,
      },
    ]);
  });

  it("counts the questions that repeat an effect", async () => {
    const cwd = folderOf({
      "a.ts": UNSAFE.replace("return", 'const first = interrupt("first?");\n  if (first) return'),
    });
    const { findings } = await audit(["a.ts"], { cwd });
    expect(findings.map(({ repeats }) => repeats)).toEqual([2, 2]);
  });

  it("is the same for the same files, whatever order they are named in", async () => {
    const cwd = folderOf({ "a.ts": UNSAFE, "b.ts": UNSAFE });
    const one = await audit(["a.ts", "b.ts"], { cwd });
    expect(await audit(["b.ts", "a.ts", "."], { cwd })).toEqual(one);
  });
});

describe("modules are resolved", () => {
  const effect =
    'import { writeFile } from "node:fs/promises";\nexport async function save() {\n  await writeFile("a", "b");\n}\n';
  const node = (from: string): string =>
    `${LANGGRAPH}import { save } from "${from}";\nexport async function node() {\n  await save();\n  return interrupt("ok?");\n}\n`;

  it.each([
    [
      "tsconfig paths",
      {
        "tsconfig.json": '{ "compilerOptions": { "paths": { "@/*": ["./lib/*"] } } }',
        "lib/save.ts": effect,
        "node.ts": node("@/save"),
      },
    ],
    [
      "package imports",
      {
        "package.json": '{ "name": "x", "imports": { "#save": "./lib/save.js" } }',
        "lib/save.ts": effect,
        "node.ts": node("#save"),
      },
    ],
    [
      "a tsconfig that extends what is not installed",
      {
        "tsconfig.json": '{ "extends": "not-installed/tsconfig.json" }',
        "lib/save.ts": effect,
        "node.ts": node("./lib/save.js"),
      },
    ],
    ["barrels", { "lib/index.ts": 'export * from "./save.js";', "lib/save.ts": effect, "node.ts": node("./lib") }],
    [
      "renamed barrels",
      {
        "lib.ts": 'export { store as save } from "./save.js";',
        "save.ts": effect.replace("save()", "store()"),
        "node.ts": node("./lib.js"),
      },
    ],
    ["jsx files", { "save.jsx": effect, "node.ts": node("./save.jsx") }],
  ])("through %s", async (_name, files) => {
    expect(await codesIn(files)).toEqual(["WP101 node.ts:5"]);
  });

  it("through CommonJS", async () => {
    const files = {
      "save.cjs": 'const fs = require("node:fs");\nmodule.exports = { save() { fs.writeFileSync("a", "b"); } };\n',
      "node.cjs":
        'const { interrupt } = require("@langchain/langgraph");\nconst { save } = require("./save.cjs");\nexports.node = async () => {\n  save();\n  return interrupt("ok?");\n};\n',
    };
    expect(await codesIn(files)).toEqual(["WP101 node.cjs:5"]);
  });

  it("through a re-export of interrupt itself", async () => {
    const files = {
      "lg.ts": 'export { interrupt } from "@langchain/langgraph";\n',
      "node.ts": UNSAFE.replace("@langchain/langgraph", "./lg.js"),
    };
    expect(await codesIn(files)).toEqual(["WP101 node.ts:6"]);
  });

  it("and an interrupt of another library is none", async () => {
    expect(await codesIn({ "node.ts": UNSAFE.replace("@langchain/langgraph", "genkit") })).toEqual([]);
  });
});

describe("recursion", () => {
  it("ends, and finds the effect at its bottom", async () => {
    const text = `${LANGGRAPH}import { appendFile } from "node:fs/promises";
async function down(n: number): Promise<void> {
  if (n === 0) await appendFile("a", "b");
  else await up(n - 1);
}
async function up(n: number): Promise<void> {
  await down(n - 1);
}
export async function node() {
  await up(5);
  return interrupt("ok?");
}
`;
    expect(await codesIn({ "a.ts": text })).toEqual(["WP101 a.ts:12"]);
  });
});

describe("files", () => {
  it("that cannot be parsed are reported and passed over", async () => {
    const { findings, unparsable } = await audit(["."], {
      cwd: folderOf({ "a.ts": UNSAFE, "b.ts": "const = ;", "c.js": "\0\0" }),
    });
    expect(unparsable).toEqual(["b.ts", "c.js"]);
    expect(findings).toHaveLength(1);
  });

  it("of packages and of builds are left out", async () => {
    expect(await codesIn({ "node_modules/x/a.js": UNSAFE, "dist/a.js": UNSAFE, "a.d.ts": "export {};" })).toEqual([]);
  });

  it("that are not there are an error that names them", async () => {
    await expect(audit(["nowhere"], { cwd: folderOf({}) })).rejects.toMatchObject({
      code: "INVALID_INPUT",
      message: expect.stringContaining('"nowhere"') as string,
    });
  });

  it("are never run, nor is a configuration among them", async () => {
    const cwd = folderOf({
      "a.js": 'require("node:fs").writeFileSync(__dirname + "/ran", "")',
      "waypoint.config.js": 'require("node:fs").writeFileSync(__dirname + "/ran", "")',
    });
    await audit(["."], { cwd });
    expect(existsSync(join(cwd, "ran"))).toBe(false);
  });
});

describe("comments", () => {
  const above = (comment: string): string => UNSAFE.replace("  return", `  // ${comment}\n  return`);

  it("with a reason silence a finding at the question and at the effect", async () => {
    expect(await codesIn({ "a.ts": above("waypoint-ignore WP101 -- refunds are idempotent here") })).toEqual([]);
    const atEffect = UNSAFE.replace("  await", "  // waypoint-ignore WP101 -- idempotent\n  await");
    expect(await codesIn({ "a.ts": atEffect })).toEqual([]);
  });

  it.each(["waypoint-ignore WP101", "waypoint-ignore WP101 --", "waypoint-ignore WP102 -- another rule"])(
    "%s silences nothing and is reported",
    async (comment) => {
      const { findings, unusedIgnores } = await audit(["."], { cwd: folderOf({ "a.ts": above(comment) }) });
      expect(findings).toHaveLength(1);
      expect(unusedIgnores).toHaveLength(1);
    },
  );
});

describe("configuration", () => {
  it("says what functions and packages do", async () => {
    const files = {
      "a.ts": `${LANGGRAPH}import { go } from "unheard-of";\nexport async function node() {\n  await go();\n  return interrupt("ok?");\n}\n`,
    };
    expect(await codesIn(files)).toEqual(["WP101 a.ts:5"]);
    expect(await codesIn(files, { config: { functions: { go: "pure" } } })).toEqual([]);
    expect(await codesIn(files, { config: { catalogue: [{ module: "unheard-of", calls: [["pure", "*"]] }] } })).toEqual(
      [],
    );
    expect(await codesIn(files, { config: { severity: { WP101: "off" } } })).toEqual([]);
    expect(await codesIn(files, { config: { ignore: ["a.*"] } })).toEqual([]);
  });

  it("is read from waypoint.config.json of the working directory", async () => {
    expect(await codesIn({ "a.ts": UNSAFE, "waypoint.config.json": '{ "severity": { "WP101": "off" } }' })).toEqual([]);
  });

  it.each([
    ['{ "catalog": [] }', "catalog"],
    ['{ "severity": { "WP101": "huge" } }', "huge"],
    ['{ "functions": { "f": "nice" } }', "nice"],
    ['{ "catalogue": [{ "module": "x", "calls": [["nice", "*"]] }] }', "nice"],
    ["[]", "not an object"],
    ["{", "not valid JSON"],
  ])("that says %s is refused by name", async (text, word) => {
    const cwd = folderOf({ "waypoint.config.json": text });
    await expect(audit(["."], { cwd })).rejects.toMatchObject({
      code: "INVALID_INPUT",
      message: expect.stringContaining(word) as string,
    });
  });
});

describe("no source makes it crash", () => {
  it.each([
    ["sums", (n: number) => `export const sum = ${Array.from({ length: n }, () => '"x"').join(" + ")};\n`],
    ["branches", (n: number) => `if (a) b();\n${"else if (a) b();\n".repeat(n)}`],
    ["calls", (n: number) => `${"f(".repeat(n)}1${")".repeat(n)};\n`],
  ])("with thousands of %s inside each other: it is passed over and reported", async (_name, deep) => {
    const cwd = folderOf({
      "deep.ts": `${deep(3000)}\n// interrupt\n`,
      "fine.ts": `${deep(100)}\n${UNSAFE}`,
      "node.ts": UNSAFE,
    });
    const { findings, unparsable } = await audit(["."], { cwd });
    expect(unparsable).toEqual(["deep.ts"]);
    expect(findings).toHaveLength(2);
  });

  it("cut off anywhere", async () => {
    const files = Object.fromEntries(
      Array.from({ length: UNSAFE.length }, (_, end) => [`${end}.ts`, UNSAFE.slice(0, end)]),
    );
    const { files: count } = await audit(["."], { cwd: folderOf(files) });
    expect(count).toBe(UNSAFE.length);
  });
});
