import { AIMessage, BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { plainValue } from "./plain-value.js";
import { hidden, jsonLine } from "./terminal-text.js";

/** One line of `waypoint export`. */
export interface ExportedCheckpoint {
  readonly thread: string;
  /** `""` for the graph itself, `node:task` for a subgraph. */
  readonly ns: string;
  readonly id: string;
  /** The checkpoint that it continues; null for a thread's first. */
  readonly parent: string | null;
  readonly ts: string;
  readonly metadata: Record<string, unknown>;
  /** By channel. */
  readonly values: Record<string, unknown>;
  /** What tasks wrote from here on. */
  readonly writes: readonly { readonly task: string; readonly channel: string; readonly value: unknown }[];
  /** True when values stand as their length only. */
  readonly redacted: boolean;
}

/** LangGraph's own metadata; everything else in it is the caller's. */
const OWN_METADATA = ["source", "step", "parents"];

type Show = (value: unknown) => unknown;

export function exportedCheckpoint(tuple: CheckpointTuple, redact: boolean): ExportedCheckpoint {
  const { config, checkpoint, metadata, parentConfig, pendingWrites = [] } = tuple;
  const { thread_id: thread, checkpoint_ns: ns } = config.configurable as { thread_id: string; checkpoint_ns: string };
  const parent = parentConfig?.configurable?.checkpoint_id as string | undefined;
  const show = redact ? redactedValue : plainValue;
  const known = (name: string): Show => (OWN_METADATA.includes(name) ? plainValue : show);
  return {
    ...{ thread, ns, id: checkpoint.id, parent: parent ?? null, ts: checkpoint.ts },
    metadata: mapped(metadata ?? {}, (name, value) => known(name)(value)),
    values: mapped(checkpoint.channel_values, (_channel, value) => show(value)),
    writes: pendingWrites.map(([task, channel, value]) => ({ task, channel, value: show(value) })),
    redacted: redact,
  };
}

function mapped(record: object, show: (name: string, value: unknown) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, show(name, value)]));
}

/** Who spoke and which tools were called stays; what was said, and every other value, is its length. */
function redactedValue(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (BaseMessage.isInstance(value)) return redactedMessage(value);
  if (Array.isArray(value) && value.length > 0 && value.every((item) => BaseMessage.isInstance(item))) {
    return value.map(redactedMessage);
  }
  return hiddenValue(value);
}

function redactedMessage(message: BaseMessage): unknown {
  const { id, name, content } = message;
  const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [];
  const data = {
    content: hiddenValue(content),
    ...{ id, name },
    ...(calls.length === 0 ? {} : { tool_calls: calls.map((call) => ({ ...call, args: hiddenValue(call.args) })) }),
    ...(ToolMessage.isInstance(message) ? { tool_call_id: message.tool_call_id, status: message.status } : {}),
  };
  return { type: message.type, data: plainValue(data) };
}

function hiddenValue(value: unknown): string {
  return hidden(typeof value === "string" ? value : jsonLine(plainValue(value)));
}
