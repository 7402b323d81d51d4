import { INES } from "../conversation.js";
import { atDesk } from "../desk.js";
import { inNewProcess } from "../process.js";
import type { Scene } from "../stage.js";

export const looksItUp: Scene = {
  title: "A new process looks the booking up, and goes on",
  async play(stage) {
    stage.step("a new process calls resume(app, config); its ledger asks the airline by the booking's reference");
    const { pid, report } = await inNewProcess({
      folder: stage.folder,
      threadId: INES.threadId,
      what: "resume",
    });
    stage.says("Agent", report?.lastWords ?? "");
    await atDesk(stage.folder, async ({ airline }) => {
      const [bookings, calls] = [airline.bookingsOf("QX7M2P").length, airline.rawCallsFor("QX7M2P")];
      stage.promise(`process ${pid} finished the conversation`, report?.status === "finished");
      stage.promise(`bookings: ${bookings}, raw calls at the airline: ${calls}`, bookings === 1 && calls === 1);
    });
  },
};
