import { AIMessage, HumanMessage, RemoveMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { SlimSaver } from "../../../src/checkpointer/slim-saver.js";
import { SafeToolNode } from "../../../src/nodes/safe-tool-node.js";
import { approve, asked, asks, on, plain, useLedger } from "../approval/support.js";
import { happened } from "../effect/support.js";
import { bye, fanOutOf, gated, loopOf, policy, says, toolbox, told, type App } from "./support.js";

const hello = { messages: [new HumanMessage("hello")] };
const both = { decisions: [{ type: "approve" }, { type: "reject", message: "not today" }] };
const refund = { name: "refund", amount: 1, id: "c1" };
const wire = { name: "wire", amount: 2, id: "c2" };
const look = { name: "look", amount: 3, id: "c3" };
const pay = { name: "pay", amount: 4, id: "c4" };
const lost = { name: "lost", amount: 5, id: "c5" };

describe("SafeToolNode", () => {
  it("is a ToolNode, and refuses a rule without a tool", () => {
    const { tools } = toolbox();
    expect(new SafeToolNode(tools, policy, { name: "mine" })).toBeInstanceOf(ToolNode);
    expect(() => new SafeToolNode(tools, { tools: { nothing: {} } })).toThrow(
      expect.objectContaining({ code: "INVALID_INPUT" }),
    );
  });

  it("asks for all gated calls of a message in one question, before any tool runs; two answers reach two calls, each runs once", async () => {
    const { outside, tools } = toolbox();
    const app = loopOf([says(refund, wire, look, pay), bye], new SafeToolNode(tools, policy));
    const first = await app.invoke(hello, on("t"));
    expect(asked(first).actionRequests.map(({ name }) => name)).toEqual(["refund", "wire"]);
    expect(outside.calls).toEqual([]);
    const done = await app.invoke(plain(both), on("t"));
    expect(outside.calls.toSorted()).toEqual(["look 3", "pay 4", "refund 1"]);
    expect(told(done)).toMatchObject({ c2: "error not today", c1: expect.stringContaining("success done") as string });
    expect(Object.keys(told(done))).toHaveLength(4);
    expect(done.messages.at(-1)?.text).toBe("bye");
  });

  it("each answer reaches its own call, whichever tool is slower", async () => {
    for (const slow of ["refund", "wire"]) {
      const done: string[] = [];
      const named = (name: string) =>
        tool(
          async () => {
            if (name === slow) await new Promise((resolve) => setTimeout(resolve, 30));
            done.push(name);
            return name;
          },
          { name, description: ".", schema: z.object({ amount: z.number() }) },
        );
      const node = new SafeToolNode([named("refund"), named("wire")], { tools: { refund: gated, wire: gated } });
      const app = loopOf([says(refund, wire), bye], node);
      await app.invoke(hello, on("t"));
      const edited = { type: "edit", editedAction: { name: "wire", args: { amount: 9 } } };
      const result = await app.invoke(plain({ decisions: [{ type: "approve" }, edited] }), on("t"));
      expect(told(result)).toEqual({ c1: "success refund", c2: "success wire" });
      expect(done.toSorted()).toEqual(["refund", "wire"]);
    }
  });

  it("runs an edited call as edited, and the model's message says so", async () => {
    const { outside, tools } = toolbox();
    const app = loopOf([says(refund, look), bye], new SafeToolNode(tools, policy));
    await app.invoke(hello, on("t"));
    const edit = { type: "edit", editedAction: { name: "refund", args: { amount: 7 } } };
    const done = await app.invoke(plain({ decisions: [edit] }), on("t"));
    expect(outside.calls.toSorted()).toEqual(["look 3", "refund 7"]);
    const spoken = done.messages.filter((message) => AIMessage.isInstance(message));
    expect(spoken).toHaveLength(2);
    expect(spoken[0]?.tool_calls?.map(({ args }) => args)).toEqual([{ amount: 7 }, { amount: 3 }]);
    expect(told(done).c1).not.toContain("reviewer");
  });

  it("never executes a rejected call, whatever routes it there again, and asks nobody twice", async () => {
    const { outside, tools } = toolbox();
    const app: unknown = new StateGraph(MessagesAnnotation)
      .addNode("tools", new SafeToolNode(tools, policy))
      .addNode("forget", ({ messages }) => ({
        messages: messages
          .filter((message) => ToolMessage.isInstance(message))
          .map(({ id }) => new RemoveMessage({ id: id! })),
      }))
      .addNode("again", new SafeToolNode(tools, policy))
      .addEdge(START, "tools")
      .addEdge("tools", "forget")
      .addEdge("forget", "again")
      .compile({ checkpointer: SlimSaver.fromConnString(":memory:") });
    await (app as App).invoke({ messages: [says(refund)] }, on("t"));
    const done = await (app as App).invoke(plain({ decisions: [{ type: "reject", message: "no" }] }), on("t"));
    expect(asks(done)).toBe(false);
    expect(told(done)).toEqual({ c1: "error no" });
    expect(outside.calls).toEqual([]);
  });

  it("asks again for an approved call that is routed there again: an approval is for one visit", async () => {
    const { outside, tools } = toolbox();
    const app: unknown = new StateGraph(MessagesAnnotation)
      .addNode("tools", new SafeToolNode(tools, policy))
      .addNode("forget", ({ messages }) => ({
        messages: messages
          .filter((message) => ToolMessage.isInstance(message))
          .map(({ id }) => new RemoveMessage({ id: id! })),
      }))
      .addNode("again", new SafeToolNode(tools, policy))
      .addEdge(START, "tools")
      .addEdge("tools", "forget")
      .addEdge("forget", "again")
      .compile({ checkpointer: SlimSaver.fromConnString(":memory:") });
    await (app as App).invoke({ messages: [says(refund)] }, on("t"));
    expect(asks(await (app as App).invoke(plain(approve), on("t")))).toBe(true);
    expect(outside.calls).toEqual(["refund 1"]);
  });

  it("in a loop, each round has a question of its own, also where the model uses a call id again", async () => {
    const { outside, tools } = toolbox();
    const app = loopOf([says(refund), says(refund), bye], new SafeToolNode(tools, policy));
    await app.invoke(hello, on("t"));
    expect(asks(await app.invoke(plain(approve), on("t")))).toBe(true);
    expect(outside.calls).toEqual(["refund 1"]);
    const done = await app.invoke(plain({ decisions: [{ type: "reject", message: "enough" }] }), on("t"));
    expect(outside.calls).toEqual(["refund 1"]);
    expect(Object.values(told(done)).toSorted()).toEqual(["error enough", "success done 1"]);
    expect(done.messages.at(-1)?.text).toBe("bye");
  });

  it("works in a subgraph", async () => {
    const { outside, tools } = toolbox();
    const inner = new StateGraph(MessagesAnnotation)
      .addNode("tools", new SafeToolNode(tools, policy))
      .addEdge(START, "tools")
      .compile();
    const app: unknown = new StateGraph(MessagesAnnotation)
      .addNode("inner", inner)
      .addEdge(START, "inner")
      .compile({ checkpointer: SlimSaver.fromConnString(":memory:") });
    await (app as App).invoke({ messages: [says(refund, wire, look)] }, on("t"));
    const done = await (app as App).invoke(plain(both), on("t"));
    expect(outside.calls.toSorted()).toEqual(["look 3", "refund 1"]);
    expect(told(done).c2).toBe("error not today");
  });

  it.each([
    ["one call each", (call: object, messages: unknown) => ({ messages, lg_tool_call: call })],
    [
      "a message each",
      (call: object) => ({ messages: [new AIMessage({ id: "c1+c2+c3", content: "", tool_calls: [call as never] })] }),
    ],
  ])(
    "with Send, %s: two questions, two answers by id, each runs once, and the message stays whole",
    async (_, input) => {
      const { outside, tools } = toolbox();
      const app = fanOutOf(says(refund, wire, look), new SafeToolNode(tools, policy), input);
      const first = await app.invoke(hello, on("t"));
      expect(outside.calls).toEqual(["look 3"]);
      const questions = first.__interrupt__!.map(({ id, value }) => ({
        id,
        name: (value as { actionRequests: { name: string }[] }).actionRequests[0]!.name,
      }));
      expect(questions.map(({ name }) => name).toSorted()).toEqual(["refund", "wire"]);
      const edit = { decisions: [{ type: "edit", editedAction: { name: "refund", args: { amount: 7 } } }] };
      const byId = questions.map(({ id, name }) => [
        id,
        name === "refund" ? edit : { decisions: [{ type: "reject", message: "no" }] },
      ]);
      const done = await app.invoke(new Command({ resume: Object.fromEntries(byId) as object }), on("t"));
      expect(outside.calls.toSorted()).toEqual(["look 3", "refund 7"]);
      expect(told(done).c2).toBe("error no");
      expect(told(done).c1).toContain('A reviewer changed the arguments of this call to {"amount":7}');
      const spoken = done.messages.filter((message) => AIMessage.isInstance(message));
      expect(spoken.map(({ tool_calls }) => tool_calls?.length)).toEqual([3]);
    },
  );

  it("takes a list of messages, and passes Commands on beside a refusal", async () => {
    useLedger();
    const { outside, tools } = toolbox();
    const jump = tool(
      () =>
        new Command({
          goto: "there",
          update: { messages: [new ToolMessage({ content: "jumped", tool_call_id: "c9" })] },
        }),
      {
        name: "jump",
        description: ".",
        schema: z.object({ amount: z.number() }),
      },
    );
    const app: unknown = new StateGraph(MessagesAnnotation)
      .addNode("tools", new SafeToolNode([...tools, jump] as never, policy), { ends: ["there"] })
      .addNode("there", () => ({ messages: [new HumanMessage("there")] }))
      .addEdge(START, "tools")
      .compile({ checkpointer: new MemorySaver() });
    await (app as App).invoke({ messages: [says(refund, { name: "jump", amount: 1, id: "c9" })] }, on("t"));
    const done = await (app as App).invoke(plain({ decisions: [{ type: "reject", message: "no" }] }), on("t"));
    expect(told(done)).toMatchObject({ c1: "error no", c9: expect.stringContaining("jumped") as string });
    expect(done.messages.at(-1)?.text).toBe("there");
    expect(outside.calls).toEqual([]);
    const listed = (await new SafeToolNode(tools, { tools: {} }).invoke([says(look)])) as unknown as ToolMessage[];
    expect(listed.map(({ tool_call_id }) => tool_call_id)).toEqual(["c3"]);
  });
});

describe("siblings of a call that stops", () => {
  it("run once, with a rule or without, when its outcome is unknown", async () => {
    const { outside, tools } = toolbox();
    const app = loopOf(
      [says(look, lost, pay, { name: "failing", amount: 6, id: "c6" }), bye],
      new SafeToolNode(tools, policy),
    );
    const first = await app.invoke(hello, on("t"));
    expect(first.__interrupt__?.[0]?.value).toMatchObject({ type: "waypoint.unknown_effect" });
    const done = await app.invoke(plain(happened("found")), on("t"));
    expect(outside.calls.toSorted()).toEqual(["failing 6", "look 3", "lost 5", "pay 4"]);
    expect(told(done)).toMatchObject({ c5: "success found", c6: expect.stringContaining("no such file") as string });
    expect(Object.keys(told(done))).toHaveLength(4);
  });

  it("run once beside a tool that asks by itself, twice", async () => {
    const { outside, tools } = toolbox();
    const one = { name: "question", amount: 7, id: "c7" };
    const app = loopOf([says(look, one, pay), bye], new SafeToolNode(tools, policy));
    expect((await app.invoke(hello, on("t"))).__interrupt__?.[0]?.value).toBe("question 7");
    const done = await app.invoke(plain("yes"), on("t"));
    expect(outside.calls.toSorted()).toEqual(["look 3", "pay 4", "question 7"]);
    expect(told(done).c7).toBe("success yes");
  });

  it("are waited for, so that none is running when the run has stopped", async () => {
    const { tools } = toolbox();
    let finished = false;
    const slow = tool(
      async () => {
        await new Promise((resolve) => setTimeout(resolve, 50));
        finished = true;
        return "slow";
      },
      { name: "slow", description: ".", schema: z.object({ amount: z.number() }) },
    );
    const app = loopOf(
      [says({ name: "slow", amount: 1, id: "c9" }, { name: "question", amount: 7, id: "c7" }), bye],
      new SafeToolNode([...tools, slow], policy),
    );
    await app.invoke(hello, on("t"));
    expect(finished).toBe(true);
  });

  it("a sibling that asked runs again, so that later answers find their questions", async () => {
    const { outside, tools } = toolbox();
    const one = { name: "question", amount: 7, id: "c7" };
    const app = loopOf([says(one, lost), bye], new SafeToolNode(tools, policy));
    let result = await app.invoke(hello, on("t"));
    for (let passes = 0; asks(result) && passes < 5; passes += 1) {
      const { value } = result.__interrupt__![0]!;
      result = await app.invoke(plain(typeof value === "string" ? "yes" : happened("found")), on("t"));
    }
    expect(told(result)).toEqual({ c7: "success yes", c5: "success found" });
    expect(outside.calls.filter((call) => call === "lost 5")).toHaveLength(1);
  });

  it("run once under a retryPolicy, when one fails and ToolNode hands errors on", async () => {
    const { outside, tools } = toolbox();
    let failures = 2;
    const flaky = tool(() => (failures-- > 0 ? Promise.reject(new Error("flaky")) : Promise.resolve("worked")), {
      name: "flaky",
      description: ".",
      schema: z.object({ amount: z.number() }),
    });
    const app: unknown = new StateGraph(MessagesAnnotation)
      .addNode("tools", new SafeToolNode([...tools, flaky], policy, { handleToolErrors: false }), {
        retryPolicy: { maxAttempts: 3, initialInterval: 1, jitter: false, logWarning: false },
      })
      .addEdge(START, "tools")
      .compile({ checkpointer: SlimSaver.fromConnString(":memory:") });
    const calls = says(look, refund, { name: "flaky", amount: 8, id: "c8" });
    await (app as App).invoke({ messages: [calls] }, on("t"));
    const done = await (app as App).invoke(plain(approve), on("t"));
    expect(outside.calls.toSorted()).toEqual(["look 3", "refund 1"]);
    expect(told(done).c8).toBe("success worked");
  });
});

it("whatever is called, and however it is answered: approved calls run once, rejected ones never, free ones once", async () => {
  const kinds = fc.constantFrom("refund", "wire", "look", "pay", "lost");
  const calls = fc.array(fc.record({ name: kinds, rejected: fc.boolean() }), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(calls, async (plan) => {
      const { outside, tools } = toolbox();
      const message = says(...plan.map(({ name }, at) => ({ name, amount: at, id: `c${at}` })));
      const app = loopOf([message, bye], new SafeToolNode(tools, policy));
      const rejected = (name: string, at: number): boolean =>
        plan[at]!.rejected && policy.tools[name]?.approval === true;
      let result = await app.invoke(hello, on("t"));
      for (let passes = 0; asks(result) && passes < 9; passes += 1) {
        const value = result.__interrupt__![0]!.value as {
          actionRequests?: { name: string; args: { amount: number } }[];
          effects?: { effectId: string }[];
        };
        const decisions = value.actionRequests?.map(({ name, args }) =>
          rejected(name, args.amount) ? { type: "reject" } : { type: "approve" },
        );
        const found = Object.fromEntries((value.effects ?? []).map(({ effectId }) => [effectId, happened("found")]));
        result = await app.invoke(plain(decisions === undefined ? found : { decisions }), on("t"));
      }
      const expected = plan.flatMap(({ name }, at) => (rejected(name, at) ? [] : [`${name} ${at}`]));
      expect(outside.calls.toSorted()).toEqual(expected.toSorted());
      expect(Object.keys(told(result))).toHaveLength(plan.length);
      expect(result.messages.at(-1)?.text).toBe("bye");
    }),
    { numRuns: 30 },
  );
});
