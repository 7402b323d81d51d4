import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const run = promisify(execFile);

interface Page {
  readonly name: string;
  /** The TypeScript blocks of the page, one after the other. */
  readonly program: string;
  /** What the comments behind `console.log` say that it prints. */
  readonly printed: string[];
}

function pageOf(path: string): Page {
  const blocks = [...readFileSync(join(ROOT, path), "utf8").matchAll(/^```ts\n(.*?)^```$/gms)].map(
    ([, code = ""]) => code,
  );
  const program = blocks.join("\n");
  const printed = [...program.matchAll(/^console\.log\(.*\); \/\/ (.*)$/gm)].map(([, text = ""]) => text);
  return { name: path, program, printed };
}

const pages = [
  "README.md",
  ...readdirSync(join(ROOT, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
]
  .map(pageOf)
  .filter(({ program }) => program !== "");

/** The programs import the package by its name, as a user does; here that name leads to the sources. */
const TSCONFIG = {
  extends: join(ROOT, "tsconfig.json"),
  compilerOptions: {
    rootDir: ROOT,
    paths: {
      "langgraph-waypoint": [join(ROOT, "src/index.ts")],
      "langgraph-waypoint/*": [join(ROOT, "src/*/index.ts")],
    },
  },
  include: ["*.ts"],
};

describe("the programs in README and docs", () => {
  let folder = "";
  beforeAll(() => {
    mkdirSync(join(ROOT, ".scratch"), { recursive: true });
    folder = mkdtempSync(join(ROOT, ".scratch/docs-"));
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(TSCONFIG));
    for (const page of pages) writeFileSync(fileOf(page), `${page.program}\nexport {};\n`);
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  const fileOf = ({ name }: Page): string => join(folder, `${name.replaceAll(/\W/g, "-")}.ts`);

  it("have the types that they claim", { timeout: 120_000 }, async () => {
    const { stdout } = await run("npx", ["tsc", "-p", join(folder, "tsconfig.json")], { cwd: ROOT }).catch(
      (error: unknown) => error as { stdout: string },
    );
    expect(stdout).toBe("");
  });

  it.each(pages)("$name does what it says", { timeout: 60_000 }, async (page) => {
    const { stdout } = await run(process.execPath, ["--import", "tsx", fileOf(page)], {
      cwd: ROOT,
      env: { ...process.env, TSX_TSCONFIG_PATH: join(folder, "tsconfig.json"), NO_COLOR: "1" },
    });
    expect(
      stdout
        .trim()
        .split("\n")
        .filter((line) => line !== ""),
    ).toEqual(page.printed);
  });
});
