import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { CommandFailure } from "./failure.js";

/** One run of an agent, read from a file. */
export interface RecordedRun {
  readonly id: string;
  readonly messages: readonly unknown[];
  /** Whether the task was solved, where the file says so. */
  readonly solved: boolean | undefined;
}

type Json = Readonly<Record<string, unknown>>;

/**
 * Reads runs from JSON Lines, one run a line: an array of messages, or an object with `messages` (the chat-completions
 * shape, or LangChain's own, serialised in any of its ways) or with `steps` of `tool`, `args`, `result` and `error`.
 *
 * @throws CommandFailure naming the line that is none
 */
export async function* recordedRuns(file: string): AsyncGenerator<RecordedRun> {
  const lines = createInterface({ input: await opened(file), crlfDelay: Number.POSITIVE_INFINITY });
  let number = 0;
  for await (const line of lines) {
    number += 1;
    if (line.trim() !== "") yield runOf(parsed(line, file, number), file, number);
  }
}

function opened(file: string): Promise<NodeJS.ReadableStream> {
  const stream = createReadStream(file, "utf8");
  return new Promise((resolve, reject) => {
    stream.once("open", () => resolve(stream));
    stream.once("error", (error: NodeJS.ErrnoException) => {
      const reason = error.code === "ENOENT" ? "There is no file" : "Cannot read the file";
      reject(new CommandFailure(`${reason} "${file}".`));
    });
  });
}

function parsed(line: string, file: string, number: number): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    throw new CommandFailure(`Line ${number} of "${file}" is no JSON; a run is one line of JSON.`);
  }
}

function runOf(value: unknown, file: string, number: number): RecordedRun {
  const record = recordOf(value);
  const messages = Array.isArray(value) ? (value as unknown[]) : messagesIn(record);
  if (messages === undefined) {
    throw new CommandFailure(
      `Line ${number} of "${file}" is no run: it has neither "messages" nor "steps", and is no list of messages.`,
    );
  }
  const id = typeof record.id === "string" || typeof record.id === "number" ? String(record.id) : `line ${number}`;
  return { id, messages, solved: solvedIn(record) };
}

function messagesIn(record: Json): unknown[] | undefined {
  if (Array.isArray(record.messages)) return (record.messages as unknown[]).map((message) => unwrapped(message));
  return Array.isArray(record.steps)
    ? (record.steps as unknown[]).flatMap((step, at) => messagesOfStep(step, at))
    : undefined;
}

function solvedIn({ solved, reward }: Json): boolean | undefined {
  if (typeof solved === "boolean") return solved;
  return typeof reward === "number" ? reward === 1 : undefined;
}

/** LangChain writes a message as a constructor with `kwargs`, or as `type` with `data`. */
function unwrapped(message: unknown): unknown {
  const record = recordOf(message);
  if (record.type === "constructor" && Array.isArray(record.id)) {
    const name = String(record.id.at(-1));
    return { ...recordOf(record.kwargs), type: name.replace(/Message(?:Chunk)?$/, "").toLowerCase() };
  }
  return typeof record.data === "object" && record.data !== null ? { ...record.data, type: record.type } : message;
}

function messagesOfStep(value: unknown, at: number): unknown[] {
  const { tool, args, result, error } = recordOf(value);
  const id = `step-${at}`;
  return [
    { type: "ai", tool_calls: [{ id, name: typeof tool === "string" ? tool : "", args }] },
    { type: "tool", tool_call_id: id, content: result, status: error === true ? "error" : "success" },
  ];
}

function recordOf(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}
