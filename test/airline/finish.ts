import { HumanMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import type { SlimSaver } from "../../src/checkpointer/index.js";
import { resume } from "../../src/nodes/index.js";
import { threadOf } from "./agent.js";
import type { AirlineAgent } from "./agent.js";
import type { Conversation } from "./recording.js";

export interface Started {
  readonly agent: AirlineAgent;
  readonly saver: SlimSaver;
  readonly durability: "async" | "sync";
}

/**
 * Brings a conversation to the end of its script, from wherever it stands; what is to be done next is found out from the
 * store alone. Resolves to the number of approvals that it gave.
 */
export async function finish({ id, userTurns }: Conversation, started: Started): Promise<number> {
  const { agent, saver, durability } = started;
  const config = { ...threadOf(id), durability };
  let approvals = 0;
  for (;;) {
    const position = await saver.position(id);
    if (position !== undefined && position.state !== "done") {
      approvals += await goOn(agent, config);
      continue;
    }
    const messages = await messagesIn(saver, id);
    const turn = userTurns[messages.filter(({ type }) => type === "human").length];
    if (turn === undefined) return approvals;
    await agent.invoke({ messages: [new HumanMessage(turn)] }, config);
  }
}

/** Continues what was broken off, and approves what waits for it. */
async function goOn(agent: AirlineAgent, config: ReturnType<typeof threadOf>): Promise<number> {
  const { status, pending } = await resume(agent, config);
  if (status === "finished") return 0;
  const asked = pending.flatMap(({ approvalIds }) => approvalIds);
  if (asked.length === 0) throw new Error(`${config.configurable.thread_id} waits for ${JSON.stringify(pending)}`);
  await resume(agent, config, Object.fromEntries(asked.map((approval) => [approval, { type: "approve" }])));
  return asked.length;
}

export async function messagesIn(saver: SlimSaver, thread: string): Promise<BaseMessage[]> {
  const tuple = await saver.getTuple(threadOf(thread));
  return (tuple?.checkpoint.channel_values.messages ?? []) as BaseMessage[];
}
