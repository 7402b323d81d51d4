import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { Approval } from "./approval.js";
import type { Settlement } from "./approval-table.js";
import { freezeArgs, actionHash } from "./frozen-action.js";
import { foreign, objection, type ReadDecision, type Share } from "./decision.js";

/** Under which circumstances an answer arrived. */
export interface Circumstances {
  /** Who answers, as the policy's `identify` hook says; called only when it matters. */
  readonly identify: () => Promise<string | undefined>;
  readonly schema: StandardSchemaV1 | undefined;
  /** True when the answer was a plain `Command({ resume })` while other tasks of the superstep wait for one too. */
  readonly ambiguous: boolean;
}

/** What an answer does to a pending approval. */
export type AnswerVerdict =
  | { readonly kind: "settle"; readonly settlement: Settlement }
  | { readonly kind: "refuse"; readonly problem: string }
  | { readonly kind: "ignore" };

/**
 * Judges one answer that reached a pending approval inside the run. It never throws for what the answer says: an
 * exception in a node would make LangGraph hand out the same answer again for ever.
 */
export async function judgeAnswer(
  approval: Approval,
  share: Share,
  circumstances: Circumstances,
): Promise<AnswerVerdict> {
  if (share.kind === "absent") return { kind: "ignore" };
  if (share.kind === "unreadable") return refuse(share.problem);
  const bound = approval.mode === "bound";
  if (bound && !share.named) {
    return refuse("This approval is bound: decide it with decide(), or answer with its approval id as a known person.");
  }
  if (!bound && circumstances.ambiguous && !share.named) {
    return refuse(
      "Several questions wait on this thread, and a plain answer would reach all of them: answer by id, or use resume().",
    );
  }
  const by = await circumstances.identify();
  if (bound && by === undefined) return refuse("This approval is bound, and it is not known who answered.");
  const wrong = foreign(by, approval) ?? objection(share.decision, approval);
  if (wrong !== undefined) return refuse(wrong);
  return settleEdit(approval, share.decision, by, circumstances.schema);
}

async function settleEdit(
  approval: Approval,
  decision: ReadDecision,
  by: string | undefined,
  schema: StandardSchemaV1 | undefined,
): Promise<AnswerVerdict> {
  const wrong = decision.type === "edit" ? await invalidArgs(schema, decision.args) : undefined;
  if (wrong !== undefined) return refuse(wrong);
  const settlement = settlementOf(approval, decision, by);
  return typeof settlement === "string" ? refuse(settlement) : { kind: "settle", settlement };
}

/** What is written for a decision; a sentence where edited arguments cannot be stored. */
export function settlementOf(approval: Approval, decision: ReadDecision, by: string | undefined): Settlement | string {
  const who = by === undefined ? {} : { by };
  switch (decision.type) {
    case "approve":
      return { state: "approved", ...hashed(approval, approval.args), ...who };
    case "edit":
      try {
        return { state: "edited", ...hashed(approval, decision.args), ...who };
      } catch (error) {
        return `The edited arguments are not plain JSON: ${(error as Error).message}`;
      }
    case "reject":
      return { state: "rejected", ...(decision.reason === undefined ? {} : { reason: decision.reason }), ...who };
    case "respond":
      return { state: "responded", reason: decision.message, ...who };
  }
}

/** Why a schema does not accept these arguments; undefined when it does. They are checked, never rewritten. */
export async function invalidArgs(schema: StandardSchemaV1 | undefined, args: unknown): Promise<string | undefined> {
  if (schema === undefined) return undefined;
  try {
    const { issues } = await schema["~standard"].validate(args);
    return issues && `The edited arguments are not valid: ${issues.map(describeIssue).join("; ")}.`;
  } catch (error) {
    return `The edited arguments could not be validated: ${(error as Error).message}`;
  }
}

function describeIssue({ message, path }: StandardSchemaV1.Issue): string {
  const where = path?.map((part) => String(typeof part === "object" ? part.key : part)).join(".");
  return where === undefined || where === "" ? message : `${where}: ${message}`;
}

function hashed({ action, summary }: Approval, args: unknown): { args: string; hash: string } {
  const frozen = freezeArgs(args);
  return { args: frozen.text, hash: actionHash(action, frozen.text, summary) };
}

function refuse(problem: string): AnswerVerdict {
  return { kind: "refuse", problem };
}
