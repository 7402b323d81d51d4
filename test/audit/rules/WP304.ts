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
  ],
};
