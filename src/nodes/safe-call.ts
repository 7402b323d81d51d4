import { ToolMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { interopParseAsync, isInteropZodSchema } from "@langchain/core/utils/types";
import { runningTask, type RunningTask } from "../shared/langgraph.js";
import type { Approval } from "./approval.js";
import { ApprovalTable } from "./approval-table.js";
import { isGranted, keyUnder } from "./ask-anew.js";
import type { EffectContext } from "./definition.js";
import { effectId } from "./effect-id.js";
import { freezeArgs } from "./frozen-action.js";
import { effectWithGivenRun } from "./given-run.js";
import { autoKey, type AutoKey } from "./key.js";
import { findLedger, type Ledger } from "./ledger.js";
import { assertPermitted } from "./permission.js";
import { taskFor } from "./request-approval.js";
import { permissionFor } from "./tool-permission.js";
import { approvalRule, type ToolArgs, type ToolPolicy, type ToolRule } from "./tool-policy.js";
import { refusalText } from "./tool-refusal.js";
import { answering, withNote } from "./tool-result.js";
import { visitOf } from "./visit.js";

/** What any langchain tool has. */
export interface ToolLike {
  readonly name: string;
  invoke(input: never, config?: never): Promise<unknown>;
}

/** The inside of a `StructuredTool`. */
export interface InnerTool extends ToolLike {
  readonly schema: unknown;
  readonly responseFormat?: string;
  _call: ToolCallFunction;
}

export type ToolCallFunction = (input: unknown, runManager?: RunManager, config?: ToolConfig) => unknown;

interface RunManager {
  handleToolEvent(chunk: unknown): Promise<unknown>;
}

interface ToolConfig extends RunnableConfig {
  readonly toolCall?: { readonly args?: ToolArgs };
  readonly state?: unknown;
}

/** Where a tool's config carries the effect as which it runs. */
export const EFFECT_CONTEXT = "waypoint_effect";

/** A `_call` that goes through approval and ledger before it reaches the tool's own. */
export function safeCall(tool: InnerTool, rule: ToolRule, policy: ToolPolicy): ToolCallFunction {
  const { key: _key, approval: _approval, ...limits } = rule;
  const ledgerOption = policy.ledger === undefined ? {} : { ledger: policy.ledger };
  const effect = `tool:${tool.name}`;
  const perform = effectWithGivenRun<ToolArgs, unknown>({ name: effect, ...limits, ...ledgerOption });

  return async (input, runManager, config = {}) => {
    const written = config.toolCall?.args ?? asArgs(input);
    const task = runningTask(config) ?? nobodyNeeded(tool.name, written, policy);
    const toolCallId = task?.toolCallId;
    const ledger = findLedger(policy.ledger, task);
    const planVersion = policy.planVersion?.({ state: config.state, config });
    const keyUnderApproval = (granted: Approval): string => {
      const own = keyOf(rule, argsUnder(granted, written), task);
      return typeof own === "string" ? own : keyUnder(granted, ledger.store);
    };
    const effectOf = (granted: Approval): string => effectId(ledger.store, effect, keyUnderApproval(granted));
    const approval =
      task && (await permissionFor({ tool: tool.name, args: written, task, ledger, policy, planVersion, effectOf }));
    if (approval !== undefined && !isGranted(approval)) return refusal(tool, approval, toolCallId);

    const args = argsUnder(approval, written);
    const edited = args !== written;
    const key = approval === undefined ? (keyOf(rule, args, task) ?? autoKey) : keyUnderApproval(approval);
    const run = async (_args: ToolArgs, context: EffectContext): Promise<unknown> => {
      const parsed = edited ? await parse(tool.schema, args) : input;
      return finish(tool._call(parsed, runManager, within(config, context)), runManager);
    };
    const guard = { action: tool.name, args, planVersion, effect, key, ledger, task };
    const result = await perform({ key: () => key, run }, args, config, guarded(approval, guard));
    return edited ? withNote(answering(result, toolCallId), args) : answering(result, toolCallId);
  };
}

function asArgs(input: unknown): ToolArgs {
  return typeof input === "object" && input !== null ? (input as ToolArgs) : { input };
}

/** @throws InvalidInputError outside a graph for a call that needs an approval: nobody could be asked */
function nobodyNeeded(tool: string, args: ToolArgs, policy: ToolPolicy): RunningTask | undefined {
  const rule = approvalRule(policy, tool);
  return rule === undefined || rule.when?.(args) === false ? undefined : taskFor(`The tool "${tool}"`, undefined);
}

/** What was allowed, where a person changed it in a question that the tool asked; the model's own arguments else. */
function argsUnder(approval: Approval | undefined, written: ToolArgs): ToolArgs {
  if (approval?.origin !== "tool") return written;
  const allowed = approval.decidedArgs as ToolArgs;
  return freezeArgs(allowed).hash === freezeArgs(written).hash ? written : allowed;
}

/** The rule's own key. Without one it is the approval, which is good for one visit; else the visit and the tool call. */
function keyOf({ key }: ToolRule, args: ToolArgs, task: RunningTask | undefined): string | AutoKey | undefined {
  return key?.(args, { toolCallId: task?.toolCallId, threadId: task?.threadId ?? "" });
}

interface Guard {
  readonly action: string;
  readonly args: ToolArgs;
  readonly planVersion: number | string | undefined;
  readonly effect: string;
  readonly key: string | AutoKey;
  readonly ledger: Ledger;
  readonly task: RunningTask | undefined;
}

/** The check of the approval in the transaction that writes the intent. */
function guarded(approval: Approval | undefined, { effect, key, ledger, task, ...intent }: Guard) {
  if (approval === undefined || task === undefined || typeof key !== "string") return {};
  const { store } = ledger;
  const spentOn = { effectId: effectId(store, effect, key), visit: visitOf(task).id };
  const beforeIntent = (): void =>
    assertPermitted(new ApprovalTable(store), {
      ...intent,
      ...spentOn,
      approvalId: approval.id,
      now: store.clock.now(),
    });
  return { approvalId: approval.id, beforeIntent, placeHint: `${approval.id}:` };
}

async function parse(schema: unknown, args: ToolArgs): Promise<unknown> {
  return isInteropZodSchema(schema) ? interopParseAsync(schema, args) : args;
}

function within(config: ToolConfig, context: EffectContext): ToolConfig {
  const configurable = { ...config.configurable, [EFFECT_CONTEXT]: context };
  return { ...config, configurable, signal: context.signal };
}

/** A tool may stream events before it returns. */
async function finish(call: unknown, runManager: RunManager | undefined): Promise<unknown> {
  const returned = await call;
  if (!isAsyncGenerator(returned)) return returned;
  for (;;) {
    const next = (await returned.next()) as IteratorResult<unknown, unknown>;
    if (next.done === true) return next.value;
    await runManager?.handleToolEvent(next.value);
  }
}

function isAsyncGenerator(value: unknown): value is AsyncGenerator {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value && "next" in value;
}

/** What the model gets in place of a result. */
function refusal(tool: InnerTool, approval: Approval, toolCallId: string | undefined): unknown {
  const content = refusalText(approval);
  const status = approval.state === "responded" ? "success" : "error";
  const answer =
    toolCallId === undefined
      ? content
      : new ToolMessage({ content, name: tool.name, tool_call_id: toolCallId, status });
  return tool.responseFormat === "content_and_artifact" ? [answer, undefined] : answer;
}
