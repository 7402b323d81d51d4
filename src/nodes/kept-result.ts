import type { ToolCall } from "@langchain/core/messages/tool";
import { parse, stringify } from "../checkpointer/codec.js";
import { canonicalize, hashOf } from "../shared/canonical.js";
import type { RunningTask } from "../shared/langgraph.js";
import type { Ledger } from "./ledger.js";
import { MemoTable, type MemoKey } from "./memo-table.js";
import { visitOf } from "./visit.js";

/** Keeps apart from memos that the tool itself may take. */
const NAME = "waypoint:result-of-the-call";

/** A tool call whose result stands through the re-runs of its node. */
export interface KeptCall {
  readonly ledger: Ledger;
  readonly key: MemoKey;
  /** Canonical JSON, and its hash. */
  readonly args: string;
  readonly argsHash: string;
}

/** Undefined for a call without an id, or with arguments that no JSON text can hold: it cannot be found again. */
export function keptCall(ledger: Ledger, task: RunningTask, { id, args }: ToolCall): KeptCall | undefined {
  if (id === undefined || id === "") return undefined;
  const visit = visitOf({ ...task, toolCallId: id }).id;
  try {
    const text = canonicalize(args, "args");
    return {
      ledger,
      key: { threadId: task.threadId, visit, kind: "memo", name: NAME },
      args: text,
      argsHash: hashOf(text),
    };
  } catch {
    return undefined;
  }
}

/** What the call returned on an earlier pass; undefined when it was not kept. */
export function keptResult({ ledger, key, argsHash }: KeptCall): unknown {
  const row = new MemoTable(ledger.store).find(key);
  return row?.argsHash === argsHash ? parse(row.value) : undefined;
}

/** What cannot be stored is not kept: its tool runs again. */
export function keepResult({ ledger, key, args, argsHash }: KeptCall, result: unknown): void {
  const value = textOf(result);
  if (value !== undefined) new MemoTable(ledger.store).record(key, { args, argsHash, value });
}

function textOf(result: unknown): string | undefined {
  try {
    return stringify(result, "The result of a tool call");
  } catch {
    return undefined;
  }
}
