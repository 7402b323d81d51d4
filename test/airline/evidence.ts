import { SlimSaver } from "../../src/checkpointer/index.js";
import type { Position } from "../../src/checkpointer/index.js";
import { Airline } from "./airline.js";
import type { RawCall } from "./airline.js";
import { deathsIn } from "./deaths.js";
import { filesIn } from "./errand.js";
import type { Errand } from "./errand.js";
import { messagesIn } from "./finish.js";
import { historyOf } from "./history.js";
import type { Said } from "./history.js";

/** What a run left behind, read by somebody who took no part in it. */
export interface Evidence {
  readonly histories: Map<string, Said[]>;
  readonly positions: Map<string, Position | undefined>;
  /** What reached the outside. */
  readonly calls: RawCall[];
  readonly deaths: string[];
}

export async function evidenceOf(lanes: readonly Pick<Errand, "folder" | "conversations">[]): Promise<Evidence> {
  const all: Evidence = { histories: new Map(), positions: new Map(), calls: [], deaths: [] };
  for (const { folder, conversations } of lanes) {
    const files = filesIn(folder);
    const saver = SlimSaver.fromConnString(files.agent);
    for (const id of conversations) {
      all.histories.set(id, historyOf(await messagesIn(saver, id)));
      all.positions.set(id, await saver.position(id));
    }
    await saver.close();
    const airline = new Airline(files.airline);
    all.calls.push(...airline.calls());
    airline.close();
    all.deaths.push(...deathsIn(files.deaths));
  }
  return all;
}
