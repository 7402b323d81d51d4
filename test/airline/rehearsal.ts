import { SlimSaver } from "../../src/checkpointer/index.js";
import { Airline } from "./airline.js";
import { Deaths } from "./deaths.js";
import { filesIn } from "./errand.js";
import { evidenceOf } from "./evidence.js";
import type { Evidence } from "./evidence.js";
import { finish } from "./finish.js";
import { guardedAgent } from "./guarded-agent.js";
import type { Recording } from "./recording.js";

/** Runs every conversation with the safe tools, in this process and without a death. */
export async function rehearse(recording: Recording, folder: string): Promise<Evidence & { approvals: number }> {
  const files = filesIn(folder);
  const saver = SlimSaver.fromConnString(files.agent);
  const airline = new Airline(files.airline);
  const agent = guardedAgent(recording, { saver, airline, deaths: new Deaths(files.deaths, []) });
  let approvals = 0;
  for (const conversation of recording.conversations) {
    approvals += await finish(conversation, { agent, saver, durability: "async" });
  }
  await saver.close();
  airline.close();
  const conversations = recording.conversations.map(({ id }) => id);
  return { ...(await evidenceOf([{ folder, conversations }])), approvals };
}
