import { decide, ledgerOf, pendingApprovals } from "../../../src/nodes/index.js";
import { VERA } from "../conversation.js";
import { atDesk, onThread } from "../desk.js";
import type { Scene } from "../stage.js";

export const approvedTwice: Scene = {
  title: "An approval that arrives twice",
  async play(stage) {
    await atDesk(stage.folder, async ({ app, airline, checkpointer }) => {
      stage.says(VERA.customer, VERA.opening);
      await app.invoke({ messages: [{ role: "user", content: VERA.opening }] }, onThread(VERA));
      const ledger = ledgerOf(checkpointer);
      const [approval] = await pendingApprovals(ledger, { threadId: VERA.threadId });
      const click = () => decide(ledger, approval?.id ?? "", { type: "approve" }, { by: "ada@desk", app });

      const first = await click();
      stage.step(
        `first click: ${JSON.stringify({ applied: first.applied, woken: first.woken })}; Vera is rebooked, and the agent asks for Tom`,
      );
      const second = await click();
      stage.step(`second click: ${JSON.stringify({ applied: second.applied, reason: second.reason })}`);

      const [left] = await pendingApprovals(ledger, { threadId: VERA.threadId });
      stage.promise("the first decided, the second changed nothing", first.applied && !second.applied);
      stage.promise("Vera was booked by one raw call", airline.rawCallsFor("H2K8WD") === 1);
      stage.promise(
        "Tom's booking still waits for a click of its own",
        left !== undefined && airline.rawCallsFor("H2K8WE") === 0,
      );
    });
  },
};
