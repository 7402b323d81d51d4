import { join } from "node:path";
import { expect, it } from "vitest";
import { LEASE_KEY, Leases } from "../../src/checkpointer/lease.js";
import { storeOf } from "../../src/store/home.js";
import { Child } from "../child.js";
import { StillClock } from "../nodes/effect/support.js";
import { LOOP, checkpointOf, openSaver, temporaryFolder, thread } from "./harness.js";

const OWNER = new URL("./fixtures/owner.ts", import.meta.url);
const ROUNDS = 100;
const HOUR = 3_600_000;

it(
  `a thread changes hands without a gap: in ${ROUNDS} rounds, nothing of the owner of before comes after the new one`,
  { timeout: 120_000 },
  async () => {
    const file = join(temporaryFolder(), "agent.db");
    // To us, the lease of the other process has long run out.
    const saver = openSaver(file, { clock: new StillClock(Date.now() + HOUR) });
    const leases = new Leases(storeOf(saver)!);
    const owner = Child.start(OWNER, { file });
    await owner.message();
    for (let round = 0; round < ROUNDS; round += 1) {
      const name = `t-${round}`;
      const writing = owner.message();
      owner.send({ thread: name });
      expect(await writing).toEqual({ writing: true });
      const refused = owner.message();
      const lease = leases.acquire(name, { ttl: "1m", owner: "the new one" });
      expect(lease?.fence).toBe(2);
      const head = (await saver.getTuple(thread(name)))?.checkpoint.id;
      const mine = checkpointOf({ step: "mine" });
      const config = { configurable: { ...thread(name, head).configurable, [LEASE_KEY]: lease } };
      await saver.put(config, mine, LOOP, mine.channel_versions);
      expect(await refused).toEqual({ last: head, code: "STALE_FENCE" });
      expect((await saver.getTuple(thread(name)))?.checkpoint.id).toBe(mine.id);
    }
    owner.send({});
    expect(await owner.ended()).toMatchObject({ code: 0, stderr: "" });
  },
);
