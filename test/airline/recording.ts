import { readFileSync } from "node:fs";
import { AIMessage } from "@langchain/core/messages";

/** One tool call of a recorded conversation, and what came back. */
export interface RecordedCall {
  /** Conversation and ordinal of the call. The recording uses some tool call ids twice; this one is unique. */
  readonly id: string;
  readonly tool: string;
  readonly args: Record<string, unknown>;
  readonly answer: string;
}

/** A conversation as a script: everything up to the last message that has a recorded answer, or is one. */
export interface Conversation {
  readonly id: string;
  readonly userTurns: readonly string[];
  /** What the model says, in order. */
  readonly lines: readonly AIMessage[];
  readonly calls: readonly RecordedCall[];
  /** Who speaks, in order: the recording without the last word of a user who got no answer. */
  readonly speakers: readonly Speaker[];
}

export type Speaker = "user" | "assistant" | "tool";

interface Message {
  readonly role: Speaker;
  readonly content: string | null;
  readonly tool_calls?: readonly { readonly function: { readonly name: string; readonly arguments: string } }[];
}

const WORLD_CHANGING = new Set(
  `book_reservation cancel_reservation update_reservation_flights update_reservation_baggages
   update_reservation_passengers send_certificate transfer_to_human_agents`.split(/\s+/),
);

export function changesTheWorld({ tool }: RecordedCall): boolean {
  return WORLD_CHANGING.has(tool);
}

/** The reason of a recorded refusal; undefined for any other answer. */
export function refusalIn(answer: string): string | undefined {
  return answer.startsWith("Error: ") ? answer.slice("Error: ".length) : undefined;
}

/** All conversations of a recording, and their calls. */
export class Recording {
  private readonly byId: ReadonlyMap<string, Conversation>;
  private readonly callsById: ReadonlyMap<string, RecordedCall>;

  private constructor(readonly conversations: readonly Conversation[]) {
    this.byId = new Map(conversations.map((conversation) => [conversation.id, conversation]));
    this.callsById = new Map(this.calls.map((call) => [call.id, call]));
  }

  static read(file: string): Recording {
    const lines = readFileSync(file, "utf8").trim().split("\n");
    return new Recording(
      lines.map((line) => {
        const { id, messages } = JSON.parse(line) as { id: string; messages: Message[] };
        return conversationFrom(id, messages);
      }),
    );
  }

  get calls(): RecordedCall[] {
    return this.conversations.flatMap(({ calls }) => calls);
  }

  conversation(id: string): Conversation {
    return required(this.byId.get(id), `The conversation "${id}" is not recorded.`);
  }

  call(id: string): RecordedCall {
    return required(this.callsById.get(id), `The call "${id}" is not recorded.`);
  }
}

function required<T>(found: T | undefined, message: string): T {
  if (found === undefined) throw new Error(message);
  return found;
}

/** Checks what the rest relies on: one call a message, and its answer right after it. */
function conversationFrom(id: string, recorded: readonly Message[]): Conversation {
  const messages = recorded.at(-1)?.role === "user" ? recorded.slice(0, -1) : recorded;
  const calls: RecordedCall[] = [];
  const lines: AIMessage[] = [];
  messages.forEach(({ role, content, tool_calls: called = [] }, index) => {
    if (role !== "assistant") return;
    const answer = called.length === 0 ? undefined : messages[index + 1];
    if (called.length > 1 || (called.length === 1 && answer?.role !== "tool")) {
      throw new Error(`Message ${index} of ${id} is not one call with its answer.`);
    }
    const made = called.map(({ function: { name, arguments: args } }) => ({
      id: `${id}/${calls.length + 1}`,
      tool: name,
      args: JSON.parse(args) as Record<string, unknown>,
      answer: answer?.content ?? "",
    }));
    calls.push(...made);
    const tool_calls = made.map((call) => ({ id: call.id, name: call.tool, args: call.args }));
    lines.push(new AIMessage({ content: content ?? "", tool_calls }));
  });
  const userTurns = messages.flatMap(({ role, content }) => (role === "user" ? [content ?? ""] : []));
  return { id, userTurns, lines, calls, speakers: messages.map(({ role }) => role) };
}
