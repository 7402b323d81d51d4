import { expect, it } from "vitest";
import pc from "picocolors";
import { run } from "../../src/cli/program.js";
import { folderOf, UNSAFE } from "../audit/folder.js";

async function waypoint(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let out = "";
  let err = "";
  const colors = pc.createColors(false);
  const code = await run(args, { colors, out: (text) => (out += text), err: (text) => (err += text), exitCode: 0 });
  return { code, out, err };
}

const unsafe = (): string => folderOf({ "node.ts": UNSAFE });

it("findings from medium on make the command fail, and --fail-on moves the bar", async () => {
  const folder = unsafe();
  expect((await waypoint("audit", folder)).code).toBe(1);
  expect((await waypoint("audit", folder, "--fail-on", "high")).code).toBe(1);
  expect((await waypoint("audit", folder, "--fail-on", "never")).code).toBe(0);
  expect((await waypoint("audit", folderOf({ "a.ts": "export {};" }))).code).toBe(0);
});

it("text shows the place, the lines and the way out", async () => {
  const { out } = await waypoint("audit", unsafe());
  expect(out).toContain("node.ts:6:16  high  WP101");
  expect(out).toContain("stripe.refunds.create({});");
  expect(out).toContain("1 file: 1 high");
});

it("every format is what it says", async () => {
  const folder = unsafe();
  expect(JSON.parse((await waypoint("audit", folder, "--format", "json")).out)).toMatchObject({
    files: 1,
    findings: [{ code: "WP101" }],
  });
  expect(JSON.parse((await waypoint("audit", folder, "--json")).out)).toMatchObject({ files: 1 });
  expect(JSON.parse((await waypoint("audit", folder, "--format", "sarif")).out)).toMatchObject({ version: "2.1.0" });
  expect((await waypoint("audit", folder, "--format", "github")).out).toMatch(/^::error file=.*WP101/);
});

it("--explain says what a code means, and a wrong code which there are", async () => {
  expect((await waypoint("audit", "--explain", "wp201")).out).toContain("WP201 interrupt-swallowed (high)");
  const { code, err } = await waypoint("audit", "--explain", "WP999");
  expect(code).toBe(1);
  expect(err).toContain("WP101");
});

it("a path that is not there is one line on stderr", async () => {
  const { code, err } = await waypoint("audit", "nowhere-at-all");
  expect(code).toBe(1);
  expect(err).toBe('waypoint: There is no file or folder "nowhere-at-all" to audit.\n');
});

it("comments without a reason and files that cannot be parsed are told on stderr", async () => {
  const folder = folderOf({ "a.ts": `// waypoint-ignore WP101\n${UNSAFE}`, "b.ts": "const = ;" });
  const { err } = await waypoint("audit", folder);
  expect(err).toContain("gives no reason");
  expect(err).toContain("could not be parsed");
});
