import type { Cases } from "../cases.js";

export const cases: Cases = {
  invalid: [
    `const pay = tool(async () => stripe.refunds.create({}), { name: "pay" }); // effect
const ask = tool(async () => interrupt("ok?"), { name: "ask" }); // found
const tools = new ToolNode([pay, ask]);`,
    `const pay = tool(async () => {
  await stripe.refunds.create({}); // effect
}, { name: "pay" });
const ask = tool(async () => interrupt("ok?"), { name: "ask" }); // found
const agent = createReactAgent({ llm: model, tools: [pay, ask] });`,
    `const pay = tool(async () => stripe.refunds.create({}), { name: "pay" }); // effect
const ask = tool(async () => interrupt("ok?"), { name: "ask" }); // found
const tools = [pay, ask];
const nodes = new ToolNode(tools);`,
    `const pay = tool(async () => stripe.refunds.create({}), { name: "pay" }); // effect
const ask = tool(async () => interrupt("ok?"), { name: "ask" }); // found
new StateGraph({}).addNode("tools", new ToolNode([ask, pay]));`,
    `const save = tool(async () => appendFile("a", "b"), { name: "save" }); // effect
const ask = tool(async () => interrupt("ok?"), { name: "ask" }); // found
const agent = createReactAgent({ llm: model, tools: [ask, save], version: "v1" });`,
    `const post = tool(async () => fetch("https://x", { method: "POST" }), { name: "post" }); // effect
const ask = tool(async () => interrupt("ok?"), { name: "ask" }); // found
const nodes = new ToolNode([post, ask]);`,
  ],
  valid: [
    `const pay = tool(async () => stripe.refunds.create({}), { name: "pay" });
const ask = tool(async () => interrupt("ok?"), { name: "ask" });
const agent = createAgent({ model, tools: [pay, ask] });`,
    `const look = tool(async () => readFile("a"), { name: "look" });
const ask = tool(async () => interrupt("ok?"), { name: "ask" });
const tools = new ToolNode([look, ask]);`,
    `const pay = tool(async () => {
  if (interrupt("ok?")) await stripe.refunds.create({});
}, { name: "pay" });
const tools = new ToolNode([pay]);`,
    `const pay = tool(async () => stripe.refunds.create({}), { name: "pay" });
const ask = tool(async () => interrupt("ok?"), { name: "ask" });
const agent = createReactAgent({ llm: model, tools: [pay, ask], version: "v2" });`,
    `const pay = tool(async () => stripe.refunds.create({}), { name: "pay" });
const ask = tool(async () => interrupt("ok?"), { name: "ask" });
const a = new ToolNode([pay]);
const b = new ToolNode([ask]);`,
    `const pay = tool(async () => stripe.refunds.create({}), { name: "pay" });
const nodes = new ToolNode([pay]);`,
  ],
};
