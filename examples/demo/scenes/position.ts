import { renderPosition } from "../../../src/cli/render-position.js";
import { redactedPosition } from "../../../src/cli/shown-position.js";
import { ledgerOf, pendingApprovals } from "../../../src/nodes/index.js";
import { VERA } from "../conversation.js";
import { atDesk } from "../desk.js";
import type { Scene } from "../stage.js";

export const position: Scene = {
  title: "Where Vera's thread stands, for a person (waypoint show support-vera --db agent.db)",
  async play(stage) {
    await atDesk(stage.folder, async ({ checkpointer }) => {
      const found = await checkpointer.position(VERA.threadId);
      if (found === undefined) throw new Error("Vera's thread is gone.");
      const approvals = await pendingApprovals(ledgerOf(checkpointer), { threadId: VERA.threadId });
      stage.show(renderPosition(redactedPosition(found, approvals), { colors: stage.colors, now: Date.now() }));
      stage.promise(
        "it waits for one approval, one booking is done",
        found.state === "waiting" && approvals.length === 1 && found.effects.length === 1,
      );
      stage.promise(
        "the todos say what is left",
        found.todos.some(({ status }) => status === "pending"),
      );
    });
  },
};
