import { HumanMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { airlineAgent, recordedTools, threadOf } from "./agent.js";
import { historyOf } from "./history.js";
import type { Said } from "./history.js";
import type { Recording } from "./recording.js";

/** What the same agent says, by conversation, without anything of ours and without a break. */
export async function referenceHistories(recording: Recording): Promise<Map<string, Said[]>> {
  const agent = airlineAgent(recording, { checkpointer: new MemorySaver(), tools: recordedTools(recording) });
  const histories = new Map<string, Said[]>();
  for (const { id, userTurns } of recording.conversations) {
    let messages: BaseMessage[] = [];
    for (const turn of userTurns)
      ({ messages } = await agent.invoke({ messages: [new HumanMessage(turn)] }, threadOf(id)));
    histories.set(id, historyOf(messages));
  }
  return histories;
}
