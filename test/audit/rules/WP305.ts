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
    `createMiddleware({
  name: "gate",
  wrapModelCall: async (request, handler) => {
    const ok = interrupt("ask the model?"); // found
    return ok ? handler(request) : null;
  },
});`,
    `const ask = (name) => interrupt(name); // found
createMiddleware({
  name: "gate",
  wrapToolCall: (request, handler) => (ask(request.name) ? handler(request) : null),
});`,
    `const ask = tool(async () => {
  return interrupt("ok?"); // found
}, { name: "ask" });
const middleware = [toolRetryMiddleware({ maxRetries: 2 })];
createAgent({ model, tools: [ask], middleware });`,
  ],
  valid: [
    `createMiddleware({
  name: "gate",
  afterModel: (state) => ({ ok: interrupt("ok?") }),
});`,
    `const ask = tool(async () => interrupt("ok?"), { name: "ask" });
createAgent({ model, tools: [ask], middleware: [] });`,
    `createMiddleware({
  name: "gate",
  beforeModel: (state) => {
    const ok = interrupt("ok?");
    return { ok };
  },
});`,
    `createMiddleware({
  name: "time",
  wrapToolCall: async (request, handler) => handler(request),
});`,
    `const look = tool(async () => readFile("a"), { name: "look" });
createAgent({ model, tools: [look], middleware: [toolRetryMiddleware({})] });`,
    `createMiddleware({
  name: "gate",
  afterModel: { hook: (state) => ({ ok: interrupt("ok?") }), canJumpTo: ["end"] },
});`,
  ],
};
