import { join } from "node:path";
import type { Started } from "./finish.js";
import type { Sabotage } from "./guarded-agent.js";

/** What a process of the agent is told. It is the same for every process, whatever happened to those before. */
export interface Errand {
  /** The recording, and the folder in which everything lives that outlasts a process. */
  readonly recording: string;
  readonly folder: string;
  readonly conversations: readonly string[];
  /** Where to die. */
  readonly deaths: readonly string[];
  readonly durability: Started["durability"];
  /** All conversations at once, so that a death hits some of them anywhere; else one after the other. */
  readonly together: boolean;
  readonly sabotage?: Sabotage;
}

export function filesIn(folder: string) {
  return { agent: join(folder, "agent.db"), airline: join(folder, "airline.db"), deaths: join(folder, "deaths.txt") };
}
