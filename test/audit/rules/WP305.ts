import type { Cases } from "../cases.js";

export const cases: Cases = {
  invalid: [
    `createMiddleware({
  name: "gate",
  wrapToolCall: async (request, handler) => {
    if (!interrupt("ok?")) return null; // found
    return handler(request);
  },
});`,
    `createMiddleware({
  name: "gate",
  async wrapModelCall(request, handler) {
    const reply = await handler(request);
    return interrupt(reply) ? reply : null; // found
  },
});`,
    `const ask = tool(async () => interrupt("ok?"), { name: "ask" }); // found
createAgent({ model, tools: [ask], middleware: [toolRetryMiddleware({})] });`,
  ],
  valid: [
    `createMiddleware({
  name: "gate",
  afterModel: (state) => ({ ok: interrupt("ok?") }),
});`,
    `const ask = tool(async () => interrupt("ok?"), { name: "ask" });
createAgent({ model, tools: [ask], middleware: [] });`,
  ],
};
