import type { RunnableConfig } from "@langchain/core/runnables";
import { InvalidInputError } from "../shared/errors.js";
import type { ApprovalPolicy, Identify, Notify } from "./approval.js";
import { modeOf } from "./ask.js";
import type { EffectContext, EffectDefinition } from "./definition.js";
import type { AutoKey } from "./key.js";
import type { Ledger } from "./ledger.js";
import type { Outcome } from "./outcome.js";

/** Arguments of a tool call, as the model wrote them. */
export type ToolArgs = Record<string, unknown>;

/** A function that may say more exactly than `ToolArgs` which arguments it takes. */
type OfArgs<P extends unknown[], R> = { call(...parameters: P): R }["call"];

/** When a person is asked before a tool runs, and how. */
export interface ToolApproval extends Omit<ApprovalPolicy, "identify" | "notify" | "when"> {
  /** Words about the call, shown after its arguments. */
  readonly summary?: OfArgs<[args: ToolArgs], string>;
  /** Whether this call needs an approval; without it, each does. A function of the arguments alone. */
  readonly when?: OfArgs<[args: ToolArgs], boolean>;
}

/** How one tool touches the world; what is not said here is as in `effect`. */
export interface ToolRule extends Pick<
  EffectDefinition<ToolArgs, unknown>,
  "retry" | "timeout" | "keyTtl" | "classify" | "idempotent" | "circuit"
> {
  /** The business identity of a call; default: the approval where there is one, else `autoKey` (visit and tool call). */
  readonly key?: OfArgs<[args: ToolArgs, context: ToolCallContext], string | AutoKey>;
  readonly lookup?: OfArgs<[args: ToolArgs, context: EffectContext], Promise<Outcome<unknown>>>;
  readonly undo?: OfArgs<[args: ToolArgs, receipt: unknown, context: EffectContext], Promise<void>>;
  readonly lookupUndo?: OfArgs<[args: ToolArgs, receipt: unknown, context: EffectContext], Promise<Outcome<unknown>>>;
  readonly approval?: true | ToolApproval;
}

export interface ToolCallContext {
  readonly toolCallId: string | undefined;
  readonly threadId: string;
}

/** Which tools change the world, for `safeTools` and `safeToolsMiddleware`. Tools without a rule run as they are. */
export interface ToolPolicy {
  readonly tools: Readonly<Record<string, ToolRule>>;
  readonly ledger?: Ledger;
  readonly identify?: Identify;
  readonly notify?: Notify;
  /** The version of the plan that a call belongs to; compared again when the tool runs. */
  readonly planVersion?: (context: { state: unknown; config: RunnableConfig }) => number | string | undefined;
}

/** How a call of this tool is asked for; undefined when it needs nobody. */
export function approvalRule(policy: ToolPolicy, tool: string): ToolApproval | undefined {
  const rule = Object.hasOwn(policy.tools, tool) ? policy.tools[tool]?.approval : undefined;
  return rule === true ? {} : rule;
}

/** The part of a rule that `ask` takes. */
export function askingPolicy(rule: ToolApproval, policy: ToolPolicy): ApprovalPolicy {
  const { summary: _summary, when: _when, ...asking } = rule;
  return {
    ...asking,
    ...(policy.identify === undefined ? {} : { identify: policy.identify }),
    ...(policy.notify === undefined ? {} : { notify: policy.notify }),
  };
}

/** @throws InvalidInputError for a policy that cannot be meant */
export function checkPolicy(policy: ToolPolicy): void {
  const { tools } = policy as { tools?: unknown };
  if (typeof tools !== "object" || tools === null) {
    throw new InvalidInputError("A tool policy needs rules by tool name: { tools: { refund: { approval: true } } }.");
  }
  for (const name of Object.keys(tools)) modeOf(approvalRule(policy, name) ?? {});
}
