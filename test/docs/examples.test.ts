import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { colorsFor } from "../../src/cli/colors.js";
import { run as waypoint } from "../../src/cli/program.js";

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

/** Every page that a user may read, those about errors too. */
const everyPage = ["README.md", "CHANGELOG.md", ...markdownUnder("docs")].map((name) => ({
  name,
  text: readFileSync(join(ROOT, name), "utf8"),
}));

function markdownUnder(folder: string): string[] {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".md")).map((name) => join(folder, name));
}

/** The lines of the page's shell blocks, without comments; a line that goes on after a backslash is one. */
function shellLines(text: string): string[] {
  const blocks = [...text.matchAll(/^ *```sh\n(.*?)^ *```$/gms)].map(([, code = ""]) => code);
  return blocks
    .flatMap((block) => block.replaceAll(/\\\n\s*/g, "").split("\n"))
    .map((line) => line.split(" #")[0]!.trim());
}

/** As the shell would hand them over. */
function words(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? "",
  );
}

function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ +(.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
}

describe("what README and docs name", () => {
  it.each(everyPage)("links in $name lead to a page, and to a heading of it", ({ name, text }) => {
    const links = [...text.matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, link = ""]) => link);
    const dead = links.filter((link) => {
      const [path = "", anchor] = link.split("#");
      const target = path === "" ? join(ROOT, name) : join(ROOT, dirname(name), path);
      return !existsSync(target) || (anchor !== undefined && !anchorsOf(readFileSync(target, "utf8")).includes(anchor));
    });
    expect(dead).toEqual([]);
  });

  const commands = everyPage.flatMap(({ name, text }) =>
    shellLines(text)
      .filter((line) => line.startsWith("npx waypoint "))
      .map((line) => ({ name, line })),
  );
  it.each(commands)("the command line takes $line ($name)", async ({ line }) => {
    const said: string[] = [];
    const terminal = {
      colors: colorsFor({ isTTY: false }, {}),
      out: () => undefined,
      err: (text: string) => void said.push(text),
      exitCode: 0,
    };
    const args = words(line).slice(2);
    await waypoint(
      args.map((word) => (word.endsWith(".db") ? "/no/such/agent.db" : word)),
      terminal,
    );
    // It understood all of it, and looked for the database.
    expect(said.join("")).toContain("There is no file");
  });

  it("npm has every script that the README runs", () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { scripts: object };
    const readme = everyPage.find(({ name }) => name === "README.md")?.text ?? "";
    const named = [...readme.matchAll(/\bnpm (?:run )?(\w+)/g)].map(([, script = ""]) => script);
    expect(Object.keys(scripts)).toEqual(
      expect.arrayContaining(named.filter((script) => script !== "ci" && script !== "install")),
    );
  });

  it("the versions that the README says were checked are those that are installed", () => {
    const readme = everyPage.find(({ name }) => name === "README.md")?.text ?? "";
    const claim = /LangGraph ([\d.]+), langchain ([\d.]+) and checkpoint-sqlite ([\d.]+):/.exec(readme)?.slice(1);
    const installed = ["@langchain/langgraph", "langchain", "@langchain/langgraph-checkpoint-sqlite"].map(
      (name) =>
        JSON.parse(readFileSync(join(ROOT, "node_modules", name, "package.json"), "utf8")) as { version: string },
    );
    expect(claim).toEqual(installed.map(({ version }) => version));
  });
});
