import { INES } from "../conversation.js";
import { atDesk, onThread } from "../desk.js";
import { questionsOf } from "../question.js";
import type { Scene } from "../stage.js";

export const asksFirst: Scene = {
  title: "A rebooking waits for a person",
  async play(stage) {
    await atDesk(stage.folder, async ({ app, airline }) => {
      stage.says(INES.customer, INES.opening);
      const result = await app.invoke({ messages: [{ role: "user", content: INES.opening }] }, onThread(INES));
      const questions = questionsOf(result);
      stage.step("the agent looked the reservation and the flights up, and wants to rebook; a person is asked:");
      for (const { name, description } of questions) stage.quote(description ?? name);
      stage.promise("the run waits with exactly one question", questions.length === 1);
      stage.promise("nothing has reached the airline", airline.rawCallsFor("QX7M2P") === 0);
    });
  },
};
