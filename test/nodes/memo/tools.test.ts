import { AIMessage, HumanMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { Command, MessagesAnnotation, START, StateGraph, interrupt } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { memo, uuid } from "../../../src/nodes/memo.js";
import { ScriptedModel } from "../../scripted-model.js";
import { asked, on, saver } from "../effect/support.js";
import { counter } from "./support.js";

describe("in a tool", () => {
  const calls = ["a", "b"].map((id) => ({ name: "draw", args: {}, id }));
  const said = () => new AIMessage({ content: "", tool_calls: calls });

  it("of createAgent, each tool call has its own value", async () => {
    const draw = tool(async () => uuid("number"), { name: "draw", description: "draws", schema: z.object({}) });
    const model = new ScriptedModel([said(), new AIMessage("done")]);
    const agent = createAgent({ model, tools: [draw], checkpointer: saver() });
    const { messages } = await agent.invoke({ messages: [new HumanMessage("draw")] }, on("t"));
    const drawn = messages.filter((message) => message.type === "tool").map(({ text }) => text);
    expect(new Set(drawn).size).toBe(2);
  });

  it("of a ToolNode that hands its config on, a sibling that asks makes no other take its value again", async () => {
    const { take, seen } = counter();
    const draw = tool(
      async (_args, config: RunnableConfig & { toolCall?: { id?: string } }) => {
        const value = await memo("number", null, take, config);
        if (config.toolCall?.id === "b") return `${value} ${interrupt<string, string>("sure?")}`;
        return String(value);
      },
      { name: "draw", description: "draws", schema: z.object({}) },
    );
    const app = new StateGraph(MessagesAnnotation)
      .addNode("tools", new ToolNode([draw]))
      .addEdge(START, "tools")
      .compile({ checkpointer: saver() });
    await app.invoke({ messages: [said()] }, on("t"));
    const { messages } = await app.invoke(new Command({ resume: "yes" }), on("t"));
    expect(messages.slice(1).map(({ text }) => text)).toEqual(["1", "2 yes"]);
    expect(seen).toHaveLength(2);
  });

  it("of a ToolNode that does not, nobody can tell the calls apart: the run stops and says what to do", async () => {
    const draw = tool(async () => uuid("number"), { name: "draw", description: "draws", schema: z.object({}) });
    const app = new StateGraph(MessagesAnnotation)
      .addNode("tools", new ToolNode([draw]))
      .addEdge(START, "tools")
      .compile({ checkpointer: saver() });
    const stopped = (await app.invoke({ messages: [said()] }, on("t"))) as never as Parameters<typeof asked>[0];
    const matter = {
      code: "MEMO_USE",
      message: expect.stringContaining("Pass the config that the tool was given") as unknown,
    };
    expect(asked(stopped)).toMatchObject({ type: "waypoint.latched", matters: [matter, matter] });
  });

  it("a conflict does not become advice for the model: the run stops and asks", async () => {
    let item = "pen";
    const price = tool(async () => String(await memo("price", { item }, () => 1)) + String(interrupt("sure?")), {
      name: "draw",
      description: "draws",
      schema: z.object({}),
    });
    const model = new ScriptedModel([new AIMessage({ content: "", tool_calls: [calls[0]!] }), new AIMessage("done")]);
    const agent = createAgent({ model, tools: [price], checkpointer: saver() });
    await agent.invoke({ messages: [new HumanMessage("x")] }, on("t"));
    item = "car";
    const stopped = (await agent.invoke(new Command({ resume: "yes" }), on("t"))) as never as Parameters<
      typeof asked
    >[0];
    expect(asked(stopped)).toMatchObject({ type: "waypoint.latched", matters: [{ code: "MEMO_CONFLICT" }] });
  });
});
