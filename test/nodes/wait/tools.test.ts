import { AIMessage, HumanMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { deliverEvent } from "../../../src/nodes/deliver-event.js";
import { ledgerOf } from "../../../src/nodes/ledger.js";
import { resume, type ResumableGraph } from "../../../src/nodes/resume.js";
import { retryLater } from "../../../src/nodes/retry-later.js";
import { sleepUntil } from "../../../src/nodes/sleep-until.js";
import { waitForEvent } from "../../../src/nodes/wait-for-event.js";
import { ScriptedModel } from "../../scripted-model.js";
import { asked, on, saver, StillClock } from "../effect/support.js";

const HOUR = 3_600_000;
const options = (name: string) => ({ name, description: name, schema: z.object({}) });
const calls = ["nap", "pay", "rates"].map((name) => ({ name, args: {}, id: `call-${name}` }));
const said = () => new AIMessage({ content: "", tool_calls: calls });

function tools(clock: StillClock) {
  const moment = new Date(clock.time + HOUR);
  let tries = 0;
  return [
    tool(async (_args, config: RunnableConfig) => (await sleepUntil(moment, config), "up"), options("nap")),
    tool(async (_args, config: RunnableConfig) => (await waitForEvent("paid", {}, config)).type, options("pay")),
    tool(async (_args, config: RunnableConfig) => {
      tries += 1;
      return tries === 1 ? retryLater({ after: "2h", reason: "closed" }, config) : "rates";
    }, options("rates")),
  ];
}

describe("waits in tools that run side by side end each for itself", () => {
  it.each(["createAgent", "ToolNode"])("%s", async (kind) => {
    const clock = new StillClock();
    const checkpointer = saver(clock);
    const app = (kind === "createAgent"
      ? createAgent({ model: new ScriptedModel([said(), new AIMessage("done")]), tools: tools(clock), checkpointer })
      : new StateGraph(MessagesAnnotation)
          .addNode("tools", new ToolNode(tools(clock)))
          .addEdge(START, "tools")
          .compile({ checkpointer })) as unknown as ResumableGraph;
    const input = kind === "createAgent" ? [new HumanMessage("go")] : [said()];
    await app.invoke({ messages: input } as never, on("t") as never);
    await deliverEvent(ledgerOf(checkpointer), { threadId: "t", name: "paid", id: "1" });
    for (let hours = 0; hours < 4; hours += 1) {
      await resume(app, on("t"));
      clock.time += HOUR;
    }
    const last = await resume(app, on("t"));
    const { messages } = last.values as { messages: { type: string; text: string }[] };
    expect(last.status).toBe("finished");
    expect(messages.filter(({ type }) => type === "tool").map(({ text }) => text)).toEqual(["up", "event", "rates"]);
  });
});

it("what must not become advice for the model stops the run", async () => {
  const checkpointer = saver();
  const nap = tool(
    async (_args, config: RunnableConfig) => (await sleepUntil("2030-01-01", config), "up"),
    options("nap"),
  );
  const model = new ScriptedModel([new AIMessage({ content: "", tool_calls: [calls[0]!] }), new AIMessage("done")]);
  const agent = createAgent({ model, tools: [nap], checkpointer });
  const stopped = await agent.invoke({ messages: [new HumanMessage("go")] }, { ...on("t"), durability: "exit" });
  expect(asked(stopped as never)).toMatchObject({ type: "waypoint.latched", matters: [{ code: "NOT_DURABLE" }] });
});
