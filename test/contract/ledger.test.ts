import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
import { aes256gcm, ledgerOf, memoryLedger, SlimSaver } from "../../src/index.js";
import type { Ledger } from "../../src/index.js";
import { ledgerContract } from "../../src/testing/index.js";
import type { LedgerInitializer } from "../../src/testing/index.js";

const runner = { describe, it, beforeAll, afterAll };

/** The ledger of a SlimSaver on a file. */
function onFile(options: {
  encryption?: ReturnType<typeof aes256gcm>;
  key?: number;
}): Omit<LedgerInitializer, "ledgerName"> {
  const folder = mkdtempSync(join(tmpdir(), "waypoint-ledger-contract-"));
  const opened = new Map<Ledger, { saver: SlimSaver; file: string }>();
  const open = (file: string, clock: Parameters<LedgerInitializer["createLedger"]>[0]["clock"]): Ledger => {
    const saver = SlimSaver.fromConnString(file, {
      clock,
      ...(options.encryption !== undefined && { encryption: options.encryption }),
    });
    const ledger = ledgerOf(saver);
    opened.set(ledger, { saver, file });
    return ledger;
  };
  return {
    createLedger: ({ clock }) => open(join(folder, `${opened.size}.db`), clock),
    destroyLedger: (ledger) => opened.get(ledger)?.saver.close(),
    afterAll: () => rmSync(folder, { recursive: true }),
    reopen: (ledger, { clock }) => open(opened.get(ledger)?.file ?? "", clock),
    child: {
      module: new URL("./ledger.child.ts", import.meta.url),
      parameters: (ledger) => ({ file: opened.get(ledger)?.file, key: options.key }),
      execArgv: ["--import", "tsx"],
    },
    runner,
  };
}

ledgerContract({ ledgerName: "the ledger of a SlimSaver", ...onFile({}) });
ledgerContract({
  ledgerName: "the sealed ledger of a SlimSaver",
  ...onFile({ encryption: aes256gcm(new Uint8Array(32).fill(7)), key: 7 }),
});
ledgerContract({
  ledgerName: "memoryLedger",
  createLedger: ({ clock }) => memoryLedger({ clock }),
  runner,
});
