import { createHash, randomBytes } from "node:crypto";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SlimSaver, aes256gcm } from "../../../src/checkpointer/index.js";
import type { SlimSaverOptions } from "../../../src/checkpointer/index.js";
import { TOLD, everythingIn, tellEverything } from "./everything.js";
import { temporaryFolder } from "./support.js";

const encryption = aes256gcm(randomBytes(32));

/** What is in the file while it is open, its log included, and after it was closed. */
async function stored(options: SlimSaverOptions): Promise<string[]> {
  const file = join(temporaryFolder(), "agent.db");
  const saver = SlimSaver.fromConnString(file, options);
  await tellEverything(saver);
  const open = everythingIn(file);
  await saver.close();
  return [open, everythingIn(file)];
}

/** By which somebody could try whether a content is there. */
function digestsOf(text: string): string[] {
  const digests = [text, JSON.stringify(text), JSON.stringify({ card: text })].map((value) =>
    createHash("sha256").update(value).digest(),
  );
  return digests.flatMap((digest) => [digest.toString("hex"), digest.toString("latin1")]);
}

describe("a sealed database", () => {
  it("holds no text that came in through any door, in the file, its log, or deflated (R53)", async () => {
    const [plainOpen, plain] = await stored({});
    const hidden = Object.values(TOLD).filter((text) => !`${plainOpen}${plain}`.includes(text));
    expect(hidden).toEqual([]); // what is looked for is found where nothing is sealed
    for (const sealed of await stored({ encryption })) {
      expect(Object.values(TOLD).filter((text) => sealed.includes(text))).toEqual([]);
      expect(sealed.includes("TOLD")).toBe(false);
    }
  });

  it("holds no plain hash of what is known, by which somebody could try a guess", async () => {
    const [plain] = await stored({});
    const [sealed] = await stored({ encryption });
    const digests = Object.values(TOLD).flatMap(digestsOf);
    expect(digests.some((digest) => plain?.includes(digest))).toBe(true);
    expect(digests.filter((digest) => sealed?.includes(digest))).toEqual([]);
  });
});
