import { reasonOf } from "../store/encryption.js";
import type { HoldingRow } from "../store/sqlite/artifacts.js";
import { refOf } from "./artifact.js";
import type { ArtifactRef } from "./artifact.js";
import type { Lacking } from "./artifact-contents.js";
import { identityOf, readLabel } from "./artifact-labels.js";
import type { Label } from "./artifact-labels.js";
import type { Artifacts } from "./artifacts.js";
import { ArtifactCorruptError } from "./errors.js";

/** What `verify` found of the artifacts that threads hold. */
export interface ArtifactsReport {
  /** Artifacts whose content was read, and matches its reference. */
  readonly whole: number;
  readonly broken: readonly BrokenArtifact[];
  /** Not looked at: their content lies in an object store that was not given, or is sealed and no key was given. */
  readonly unchecked: number;
}

export interface BrokenArtifact {
  readonly threadId: string;
  /** Undefined where what the thread says of it is damaged. */
  readonly ref: ArtifactRef | undefined;
  readonly what: "missing" | "corrupt";
}

/** Reads every content once. @throws DecryptionError for another key; ObjectsUnavailableError */
export async function verifyArtifacts(artifacts: Artifacts, threadId: string | undefined): Promise<ArtifactsReport> {
  const states = new Map<string, Lacking | "whole">();
  const report = { whole: 0, unchecked: 0, broken: [] as BrokenArtifact[] };
  for (const row of artifacts.table.holdings(threadId)) {
    const label = labelOf(row, artifacts);
    if (typeof label === "string") {
      count(report, label, row.thread, undefined);
      continue;
    }
    const state = states.get(label.hash) ?? (await stateOf(label, artifacts));
    states.set(label.hash, state);
    if (isHeld(row, label, artifacts)) count(report, state, row.thread, refOf(label.hash));
  }
  return report;
}

function count(
  report: { whole: number; unchecked: number; broken: BrokenArtifact[] },
  state: Lacking | "whole",
  threadId: string,
  ref: ArtifactRef | undefined,
): void {
  if (state === "whole") report.whole += 1;
  else if (state === "elsewhere" || state === "sealed") report.unchecked += 1;
  else report.broken.push({ threadId, ref, what: state === "missing" ? "missing" : "corrupt" });
}

async function stateOf(label: Label, { contents }: Artifacts): Promise<Lacking | "whole"> {
  const found = await contents.read(label);
  return typeof found === "string" ? found : "whole";
}

/** The thread may have been deleted while its artifacts were read. */
function isHeld({ thread }: HoldingRow, { hash }: Label, { table, seal }: Artifacts): boolean {
  return table.holding(thread, identityOf(hash, seal)) !== undefined;
}

function labelOf(row: HoldingRow, { seal }: Artifacts): Label | "corrupt" | "sealed" {
  try {
    return readLabel(row, seal);
  } catch (error) {
    if (error instanceof ArtifactCorruptError) return "corrupt";
    if (reasonOf(error) === "unmarked") return "corrupt";
    if (reasonOf(error) === "key" && seal.encryption === undefined) return "sealed";
    throw error;
  }
}
