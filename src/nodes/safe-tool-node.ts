import type { ToolMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import type { Command, LangGraphRunnableConfig } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { callsCounted, isSent, runningTask, type RunningTask } from "../shared/langgraph.js";
import { watchSlots } from "../shared/slot-use.js";
import { verdictFrom, verdictOn, type CallVerdict } from "./call-verdict.js";
import { carriedOut, requestIn, withMessages } from "./tool-request.js";
import { keepResult, keptCall, keptResult, type KeptCall } from "./kept-result.js";
import { findLedger, nearestLedger, type Ledger } from "./ledger.js";
import { taskFor } from "./request-approval.js";
import { safeTools } from "./safe-tools.js";
import type { ToolLike } from "./safe-call.js";
import type { OpenCall } from "./tool-calls.js";
import { refusedElsewhere } from "./tool-permission.js";
import type { ToolArgs, ToolPolicy } from "./tool-policy.js";
import { withNote } from "./tool-result.js";

type Tools = ConstructorParameters<typeof ToolNode>[0];
type Options = ConstructorParameters<typeof ToolNode>[1];

/** One pass of the node: the calls that it makes, and what is known of them. */
interface Pass {
  readonly task: RunningTask | undefined;
  readonly ledger: Ledger | undefined;
  /** Arguments that a person changed, where the model's own message cannot say so. */
  readonly notes: ReadonlyMap<string, ToolArgs>;
  readonly calls: Promise<unknown>[];
  /** Results of tools without a rule that may be kept. */
  readonly results: { readonly call: KeptCall; readonly result: unknown }[];
  readonly counted: number;
}

/**
 * A `ToolNode` for a StateGraph whose calls happen once: `safeTools` and the asking of `safeToolsMiddleware` in one node.
 *
 * - Everything that a rule wants approved is asked in one question, before any tool of the message runs; answers reach the
 *   calls that they were given for. An approved call runs once, whatever is resumed, retried or killed.
 * - A rejected call is never executed, whatever routes it here again; the model gets a tool message with the reason. An
 *   edited call replaces the original in the model's message; where that cannot be done (a `Send`, a message without an
 *   id), the tool message says what ran.
 * - When one call stops to ask, its siblings are waited for and do not run again with the answer: those under a rule by the
 *   ledger; the others by their kept result, unless they asked something themselves or called a task or a graph. After a
 *   crash, a tool without a rule may run again.
 * - All else is as in LangGraph's ToolNode: its inputs, a `Send` with one call, Commands, `handleToolErrors`.
 *
 * @param tools the tools; those with a rule must be StructuredTools
 * @param policy see `safeTools`
 * @param options those of ToolNode
 * @throws InvalidInputError for a rule whose tool is missing, or a policy that contradicts itself
 * @example
 * graph.addNode("tools", new SafeToolNode([refund, search], { tools: { refund: { key: ({ orderId }) => `refund:${orderId}`, approval: true } } }));
 */
export class SafeToolNode extends ToolNode {
  private readonly policy: ToolPolicy;
  private readonly passes = new WeakMap<object, Pass>();

  constructor(tools: Tools, policy: ToolPolicy, options?: Options) {
    super(safeTools(tools as unknown as ToolLike[], policy) as unknown as Tools, options);
    this.policy = policy;
  }

  protected override async run(input: unknown, config: LangGraphRunnableConfig): Promise<unknown> {
    const request = requestIn(input, isSent(config));
    const verdicts = await Promise.all(request.calls.map((call) => this.decide(call, input, config)));
    const { input: left, extra, notes } = carriedOut(request, verdicts);
    const pass = this.passFor(runningTask(config), notes);
    this.passes.set(config, pass);
    try {
      return withMessages(left === undefined ? [] : await super.run(left, config), extra, input);
    } catch (error) {
      keepResults(pass);
      throw error;
    }
  }

  private passFor(task: RunningTask | undefined, notes: Pass["notes"]): Pass {
    const ledger = this.policy.ledger ?? nearestLedger(task);
    const counted = task === undefined ? 0 : callsCounted(task.scratchpad);
    return { task, ledger, notes, calls: [], results: [], counted };
  }

  /** Asks at once, so that the questions of all calls go out as one, in their order. */
  private async decide(open: OpenCall, state: unknown, config: LangGraphRunnableConfig): Promise<CallVerdict> {
    const { policy } = this;
    const { name, args } = open.call;
    if (!Object.hasOwn(policy.tools, name) || policy.tools[name]?.approval === undefined) return { run: args };
    const task = taskFor("SafeToolNode", config);
    const asking = { ...task, toolCallId: open.id };
    const refused = refusedElsewhere(findLedger(policy.ledger, task), { tool: name, args, task: asking });
    return refused === undefined ? verdictOn(open, { state, policy, task }) : verdictFrom(refused, open);
  }

  /** One call. It fails only after the others of its message have ended, so that nothing is left running. */
  protected override async runTool(
    call: ToolCall,
    config: LangGraphRunnableConfig,
    state: unknown,
  ): Promise<ToolMessage | Command> {
    const pass = this.passes.get(config);
    if (pass === undefined) return super.runTool(call, config, state);
    const running = this.result(call, config, state, pass);
    pass.calls.push(running);
    try {
      return await running;
    } catch (error) {
      await Promise.allSettled(pass.calls);
      throw error;
    }
  }

  private async result(
    call: ToolCall,
    config: LangGraphRunnableConfig,
    state: unknown,
    pass: Pass,
  ): Promise<ToolMessage | Command> {
    const work = (): Promise<ToolMessage | Command> => super.runTool(call, config, state);
    const note = pass.notes.get(call.id ?? "");
    if (note !== undefined) return withNote(await work(), note) as ToolMessage | Command;
    const { task, ledger } = pass;
    const isFree = !Object.hasOwn(this.policy.tools, call.name);
    const kept = isFree && task?.checkpointer !== undefined && ledger && keptCall(ledger, task, call);
    if (!kept) return work();
    const known = keptResult(kept);
    if (known !== undefined) return known as ToolMessage | Command;
    const { result, used } = await watchSlots(work);
    if (!used) pass.results.push({ call: kept, result });
    return result;
  }
}

/** What ended while a sibling stopped does not run again, unless LangGraph counts on it that it does. */
function keepResults({ task, counted, results }: Pass): void {
  if (task === undefined || callsCounted(task.scratchpad) !== counted) return;
  for (const { call, result } of results) keepResult(call, result);
}
