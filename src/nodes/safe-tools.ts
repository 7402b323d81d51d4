import type { RunnableConfig } from "@langchain/core/runnables";
import { InvalidInputError } from "../shared/errors.js";
import type { EffectContext } from "./definition.js";
import { EFFECT_CONTEXT, safeCall, type InnerTool, type ToolLike } from "./safe-call.js";
import { checkPolicy, type ToolPolicy, type ToolRule } from "./tool-policy.js";

/**
 * The same tools, executed through the ledger: whatever runs again, a call with a rule happens once.
 *
 * - Class, name, schema, description, metadata and `returnDirect` stay; so do the tool's errors, as the model reads
 *   them. Results come from the ledger on a re-run: text, content with artifact, tool messages and Commands alike.
 * - A call whose rule asks for an approval runs only under a decided one: the one `safeToolsMiddleware` got for this
 *   call, or else one that the tool asks for by itself. A rejected call never runs; the model reads the reason.
 * - At the moment of the effect the approval is checked again: same arguments, same plan version, in time, by somebody
 *   who may, for no other effect.
 * - A tool under a rule is one outside call: it may not call `interrupt()`, `effect()` or another such tool inside. It
 *   finds its idempotency key with `effectContextOf(config)`.
 *
 * @param tools tools of `tool()`, `DynamicStructuredTool`, or your own subclass of `StructuredTool`
 * @param policy a rule for each tool that changes the world; the others are returned as they are
 * @throws InvalidInputError for a rule whose tool is missing or cannot be wrapped, or a policy that contradicts itself
 * @example
 * const policy = { tools: { refund: { key: ({ orderId }) => `refund:${orderId}`, approval: true }, email: {} } };
 * const agent = createAgent({ model, tools: safeTools([refund, email, search], policy), middleware: [safeToolsMiddleware(policy)], checkpointer });
 */
export function safeTools<T extends ToolLike>(tools: readonly T[], policy: ToolPolicy): T[] {
  checkPolicy(policy);
  const missing = Object.keys(policy.tools).filter((name) => !tools.some((tool) => tool.name === name));
  if (missing.length > 0) {
    throw new InvalidInputError(
      `The policy has rules for tools that were not given: ${missing.join(", ")}. A rule that reaches no tool protects ` +
        `nothing. Given were: ${tools.map(({ name }) => name).join(", ")}.`,
    );
  }
  return tools.map((tool) => {
    const rule = Object.hasOwn(policy.tools, tool.name) ? policy.tools[tool.name] : undefined;
    return rule === undefined ? tool : safeTool(tool, rule, policy);
  });
}

/**
 * The effect as which a tool is running: its idempotency key, id and attempt. Undefined in a tool without a rule.
 *
 * @param config the config that the tool's function is given
 * @example tool(({ orderId }, config) => stripe.refunds.create({ order: orderId }, { idempotencyKey: effectContextOf(config)?.key }), …);
 */
export function effectContextOf(config: RunnableConfig | undefined): EffectContext | undefined {
  return config?.configurable?.[EFFECT_CONTEXT] as EffectContext | undefined;
}

/** Everything but the execution is inherited from the tool itself. */
function safeTool<T extends ToolLike>(tool: T, rule: ToolRule, policy: ToolPolicy): T {
  const inner = tool as unknown as Partial<InnerTool> & ToolLike;
  if (typeof inner._call !== "function") {
    throw new InvalidInputError(
      `The tool "${tool.name}" is no StructuredTool, so safeTools cannot run it. Make it with tool().`,
    );
  }
  const safe = Object.create(tool) as T;
  const value = safeCall(inner as InnerTool, rule, policy);
  return Object.defineProperty(safe, "_call", { value, configurable: true, writable: true });
}
