/**
 * Two nodes that pay a refund, and a test that tells them apart: one pays before it asks, and pays again with the answer.
 * Run it: npx tsx examples/replay-audit/main.ts
 */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { Annotation, interrupt, MemorySaver, START, StateGraph } from "@langchain/langgraph";
import { replayAudit } from "../../src/testing/index.js";

const bank = createServer((_request, response) => response.end("{}"));
let url = "";

before(async () => {
  bank.listen(0, "127.0.0.1");
  await once(bank, "listening");
  url = `http://127.0.0.1:${(bank.address() as AddressInfo).port}/refunds`;
});
after(() => bank.close());

const State = Annotation.Root({ order: Annotation<string>, told: Annotation<boolean> });
const pay = (order: string): Promise<Response> => fetch(url, { method: "POST", body: JSON.stringify({ order }) });

const paysFirst = new StateGraph(State)
  .addNode("refund", async ({ order }) => {
    await pay(order);
    return { told: interrupt<string, boolean>("Paid. Tell the customer?") };
  })
  .addEdge(START, "refund")
  .compile({ checkpointer: new MemorySaver() });

const asksFirst = new StateGraph(State)
  .addNode("refund", async ({ order }) => {
    const told = interrupt<string, boolean>("Pay, and tell the customer?");
    if (told) await pay(order);
    return { told };
  })
  .addEdge(START, "refund")
  .compile({ checkpointer: new MemorySaver() });

void test("a node that asks first does nothing twice", async () => {
  assert.deepEqual(await replayAudit(asksFirst, { order: "7" }, [true]), []);
});

void test("a node that pays first pays again with the answer", async () => {
  const [finding] = await replayAudit(paysFirst, { order: "7" }, [true]);
  assert.equal(finding?.what, "repeated");
  assert.equal(finding.call, `POST ${url}`);
  console.log(`${finding.node} made ${finding.call} in runs ${finding.passes.join(" and ")}`);
});
