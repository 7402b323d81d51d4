import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { fieldsIn } from "../ui/support.js";

const ROOT = join(import.meta.dirname, "../..");

it("examples/approvals-inbox: who has the link decides, nobody else does", { timeout: 60_000 }, async () => {
  const server = spawn(process.execPath, ["--import", "tsx", "examples/approvals-inbox/main.ts"], {
    cwd: ROOT,
    env: { ...process.env, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void server.kill());
  const [line] = (await once(server.stdout.setEncoding("utf8"), "data")) as [string];
  const link = /http:\S+/.exec(line)![0];
  const { origin } = new URL(link);
  expect((await fetch(`${origin}/approvals/`)).status).toBe(403);
  expect((await fetch(`${origin}/sign-in?key=guessed`)).status).toBe(403);

  const signedIn = await fetch(link, { redirect: "manual" });
  const headers = { cookie: signedIn.headers.get("set-cookie")!.split(";", 1)[0]! };
  const inbox = await (await fetch(`${origin}/approvals/`, { headers })).text();
  expect(inbox).toContain("Waiting for a decision: 3");
  const path = /href="([^"]+)"/.exec(inbox)![1]!;
  const fields = fieldsIn(await (await fetch(origin + path, { headers })).text());
  const body = new URLSearchParams({ ...fields, decision: "approve" });
  const done = await fetch(origin + path, { method: "POST", headers, body });
  expect(await done.text()).toContain("Decided. The thread went on.");
  expect(await (await fetch(`${origin}/approvals/`, { headers })).text()).toContain("Waiting for a decision: 2");
});
