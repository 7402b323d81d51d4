import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import { seededRandom } from "../random.js";

/** What the calls of a history are like. */
export const HISTORIES = ["new", "failing", "looping"] as const;
export type History = (typeof HISTORIES)[number];

const TOOLS = ["read_file", "search", "run_tests", "edit_file", "list_files"];

/**
 * A conversation of so many rounds, one call each; results of about `bytes` characters with the usual times and numbers.
 * `new`: each call differs. `failing`: each fails, with other arguments. `looping`: five calls in turns.
 */
export function historyOf(kind: History, calls: number, bytes: number, seed: number): BaseMessage[] {
  const random = seededRandom(seed);
  const messages: BaseMessage[] = [new HumanMessage({ content: "Go on.", id: "human" })];
  for (let at = 0; at < calls; at += 1) {
    const number = kind === "looping" ? at % 5 : at;
    const args = { path: `src/module-${number}/file.ts`, from: number, to: number + 40 };
    const text = textOf(kind === "looping" ? seededRandom(number) : random, bytes);
    messages.push(...roundOf(at, TOOLS[number % TOOLS.length]!, args, text, kind === "failing"));
  }
  return messages;
}

function roundOf(at: number, tool: string, args: Record<string, unknown>, content: string, failed: boolean) {
  const id = `call-${at}`;
  return [
    new AIMessage({ content: "", id: `ai-${at}`, tool_calls: [{ name: tool, args, id, type: "tool_call" }] }),
    new ToolMessage({
      ...{ content, name: tool, id: `tool-${at}`, tool_call_id: id },
      status: failed ? "error" : "success",
    }),
  ];
}

function textOf(random: () => number, bytes: number): string {
  let text = "";
  for (let line = 1; text.length < bytes; line += 1) {
    const number = Math.floor(random() * 1e6);
    text += `2026-12-01T04:05:06.${line}Z worker[${number}]: line ${line}: value ${number} of row, took ${line} ms\n`;
  }
  return text.slice(0, bytes);
}
