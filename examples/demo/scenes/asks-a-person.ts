import { resume } from "../../../src/nodes/index.js";
import type { UnknownEffect } from "../../../src/nodes/index.js";
import { OMAR } from "../conversation.js";
import { atDesk, onThread } from "../desk.js";
import { inNewProcess } from "../process.js";
import type { Scene, Stage } from "../stage.js";
import { lastWords } from "../transcript.js";

export const asksAPerson: Scene = {
  title: "The same crash, but nobody can look it up: a person is asked",
  async play(stage) {
    await untilTheCrash(stage);
    await atDesk(stage.folder, async ({ app, airline }) => {
      airline.takeSearchDown();
      const { status, pending } = await resume(app, onThread(OMAR));
      const question = pending[0];
      const effect = (question?.value as { effects?: UnknownEffect[] } | undefined)?.effects?.[0];
      stage.step("resume(app, config) got no answer from the airline's search, so the run stops and asks:");
      stage.quote(`${effect?.name} ${JSON.stringify(effect?.args)}`);
      stage.quote(effect?.evidence.at(-1) ?? "");
      stage.promise(
        "the run waits, and the booking was not repeated",
        status === "waiting" && airline.rawCallsFor("B4T9ZR") === 1,
      );

      const [booking] = airline.bookingsOf("B4T9ZR");
      stage.step("a person telephones the airline, and says what they found out, and how:");
      const answer = {
        as: "succeeded",
        by: "ada@desk",
        evidence: `ticket ${booking?.ticket} read out by phone`,
        result: JSON.stringify(booking),
      };
      stage.quote(`${answer.as}, says ${answer.by}: ${answer.evidence}`);
      const settled = await resume(app, onThread(OMAR), { [question?.interruptId ?? ""]: answer });
      airline.restoreSearch();
      stage.says("Agent", lastWords(settled.values));
      const [bookings, calls] = [airline.bookingsOf("B4T9ZR").length, airline.rawCallsFor("B4T9ZR")];
      stage.promise("the conversation is finished", settled.status === "finished");
      stage.promise(`bookings: ${bookings}, raw calls at the airline: ${calls}`, bookings === 1 && calls === 1);
    });
  },
};

async function untilTheCrash(stage: Stage): Promise<void> {
  stage.says(OMAR.customer, OMAR.opening);
  await atDesk(stage.folder, ({ app }) =>
    app.invoke({ messages: [{ role: "user", content: OMAR.opening }] }, onThread(OMAR)),
  );
  const { pid } = await inNewProcess({
    folder: stage.folder,
    threadId: OMAR.threadId,
    what: "approve-and-die",
  });
  stage.step(`approved; process ${pid} was killed after its booking went out`);
}
