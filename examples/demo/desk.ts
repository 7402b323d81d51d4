import { join } from "node:path";
import { SlimSaver } from "../../src/checkpointer/index.js";
import { supportAgent } from "./agent.js";
import type { SupportAgent } from "./agent.js";
import { Airline } from "./airline.js";

/** Everything a process needs to work on a thread. */
export interface Desk {
  readonly app: SupportAgent;
  readonly airline: Airline;
  readonly checkpointer: SlimSaver;
}

/** Opens both databases and the agent, as each process of the demo does, and closes them behind `work`. */
export async function atDesk<T>(
  folder: string,
  work: (desk: Desk) => Promise<T>,
  afterBooking: () => void = () => undefined,
): Promise<T> {
  const airline = Airline.open(join(folder, "airline.db"));
  const checkpointer = SlimSaver.fromConnString(join(folder, "agent.db"));
  try {
    return await work({ app: supportAgent(airline, checkpointer, afterBooking), airline, checkpointer });
  } finally {
    await checkpointer.close();
    airline.close();
  }
}

/** The config that names a thread. */
export function onThread({ threadId }: { readonly threadId: string }) {
  return { configurable: { thread_id: threadId } };
}
