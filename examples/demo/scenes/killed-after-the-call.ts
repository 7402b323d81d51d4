import { INES } from "../conversation.js";
import { atDesk } from "../desk.js";
import { inNewProcess } from "../process.js";
import type { Scene } from "../stage.js";

export const killedAfterTheCall: Scene = {
  title: "It is approved, and the process dies at the worst moment",
  async play(stage) {
    stage.step('somebody approves: app.invoke(new Command({ resume: { decisions: [{ type: "approve" }] } }), config)');
    const { pid, signal } = await inNewProcess({
      folder: stage.folder,
      threadId: INES.threadId,
      what: "approve-and-die",
    });
    stage.step(`process ${pid} was killed after the booking went out, before its result was recorded`);
    stage.promise("it died by SIGKILL", signal === "SIGKILL");
    await atDesk(stage.folder, async ({ airline, checkpointer }) => {
      const position = await checkpointer.position(INES.threadId);
      stage.promise("the booking is made", airline.bookingsOf("QX7M2P").length === 1);
      stage.promise(
        "all that the ledger knows is that a call was started",
        position?.effects.map(({ state }) => state).join() === "STARTED",
      );
    });
  },
};
