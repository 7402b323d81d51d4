import { expect, it } from "vitest";
import { countCommits } from "../../../bench/effect/commits.js";
import { effect } from "../../../src/nodes/effect.js";
import { openSaver, temporaryFolder } from "../../checkpointer/harness.js";
import { chain, fresh, on, Outside } from "./support.js";

const commits = countCommits();

/** Commits of one run of a node that carries so many effects out, the graph's own included. */
async function commitsOf(effects: number): Promise<number> {
  const outside = new Outside();
  const pay = effect<{ id: string }, unknown>({
    name: fresh("pay"),
    key: ({ id }) => id,
    run: async (args, context) => outside.call(args, context),
  });
  const app = chain(openSaver(`${temporaryFolder()}/agent.db`), {
    node: async ({ log }) => {
      for (const id of log) await pay({ id: String(id) });
      return {};
    },
  });
  // Tables are made by then.
  await app.invoke({ log: ["warm-up"] }, on("warm-up"));
  const before = commits();
  await app.invoke({ log: Array.from({ length: effects }, (_, id) => id) }, on("measured"));
  expect(outside.calls).toHaveLength(effects + 1);
  return commits() - before;
}

it("an effect costs two commits: its intent and its record", async () => {
  const without = await commitsOf(0);
  expect(without).toBeGreaterThan(0);
  expect(await commitsOf(1)).toBe(without + 2);
  expect(await commitsOf(10)).toBe(without + 20);
});
