import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { Duration } from "../shared/clock.js";

/**
 * Who decides. `open`: a plain `Command({ resume })` does, as existing UIs send it. `bound`: the row does; a resume
 * value counts only when it names the approval and comes from somebody the policy's `identify` hook knows.
 */
export type ApprovalMode = "open" | "bound";

export type ApprovalState = "pending" | "approved" | "edited" | "rejected" | "responded" | "expired";

export type DecisionType = "approve" | "edit" | "reject" | "respond";

/** Where the question came from: a node, a tool that asked by itself, or `safeToolsMiddleware`. */
export type ApprovalOrigin = "node" | "tool" | "middleware";

/** What `coveredBy` says where a rule, and not a person, allowed the action. */
export const POLICY = "policy";

/** An action that waits for a person, or was decided by one. Times are ISO 8601. */
export interface Approval {
  readonly id: string;
  readonly threadId: string;
  readonly checkpointNs: string;
  readonly visit: string;
  readonly slot: string;
  readonly origin: ApprovalOrigin;
  readonly toolCallId?: string;
  readonly action: string;
  /** As they were shown; frozen when the question was first asked. */
  readonly args: unknown;
  readonly argsHash: string;
  readonly summary?: string;
  /** Over action, arguments and summary as shown. */
  readonly actionHash: string;
  readonly planVersion?: string;
  readonly approvers?: readonly string[];
  readonly allowedDecisions: readonly DecisionType[];
  readonly mode: ApprovalMode;
  readonly decideBy?: string;
  /** Milliseconds that a decision stays good for. */
  readonly validFor?: number;
  readonly state: ApprovalState;
  /** What was allowed to run: `args`, or the edited ones. */
  readonly decidedArgs?: unknown;
  readonly decidedHash?: string;
  /** Why it was rejected, or the text that was sent instead. */
  readonly reason?: string;
  readonly decidedBy?: string;
  readonly decidedAt?: string;
  readonly validUntil?: string;
  /** The one effect that ran under this approval. */
  readonly usedBy?: string;
  /** The visit in which it ran. */
  readonly usedIn?: string;
  /** What an approval allows beside this one action: every action of this name until the run ends. */
  readonly standsFor?: "run";
  /** Why nobody was asked: `policy` (`when` said so), or the id of the approval that stands for the whole run. */
  readonly coveredBy?: string;
  /** Why the last answer did not decide. */
  readonly problem?: string;
  readonly version: number;
  readonly createdAt: string;
  readonly notifiedAt?: string;
}

/** What a person may answer. `edit` takes the arguments alone or langchain's `editedAction`. */
export type DecisionInput =
  | { type: "approve"; actionHash?: string }
  | { type: "edit"; args: unknown; actionHash?: string }
  | { type: "edit"; editedAction: { name: string; args: unknown }; actionHash?: string }
  | { type: "reject"; message?: string; reason?: string; actionHash?: string }
  | { type: "respond"; message: string; actionHash?: string };

/** What was decided, as the asking code receives it. */
export type Decision<A> =
  | { readonly type: "approve" | "edit"; readonly args: A; readonly approvalId: string; readonly by?: string }
  | Rejection
  | { readonly type: "respond"; readonly message: string; readonly approvalId: string; readonly by?: string }
  | { readonly type: "expired"; readonly approvalId: string };

export interface Rejection {
  readonly type: "reject";
  readonly reason: string;
  readonly approvalId: string;
  readonly by?: string;
}

/** Who answers in this run, for instance from `config.configurable.langgraph_auth_user_id`; undefined for nobody known. */
export type Identify = (config: RunnableConfig) => string | undefined | Promise<string | undefined>;

/** Tells people that an approval waits. Called once per approval; again only after it failed. */
export type Notify = (approval: Approval) => void | Promise<void>;

/** How often one kind of action is asked for. */
export type AskFrequency = "every-time" | "once-per-run";

/** A function that may say more exactly which arguments it takes. */
type OfArgs<A> = { call(args: A): boolean }["call"];

/** How one kind of action is asked for. */
export interface ApprovalPolicy<A = unknown> {
  /**
   * `every-time` (default), or `once-per-run`: an approval, which says so when it is shown, then allows every later action of
   * this name, whatever its arguments, until what the run was started for is done. An edit or a rejection allows nothing more,
   * and going back to an old checkpoint asks again.
   */
  readonly ask?: AskFrequency;
  /** Whether this action needs a person, such as `({ cents }) => cents > 10_000`; a function of the arguments alone. */
  readonly when?: OfArgs<A>;
  /** Who may decide. Setting it makes the approval `bound`. */
  readonly approvers?: readonly string[];
  readonly mode?: ApprovalMode;
  /** A decision that comes later than this after the question expires the approval. */
  readonly decideWithin?: Duration;
  /** How long a decision stays good; checked when the effect starts. */
  readonly validFor?: Duration;
  /** Default: approve, edit, reject. `respond` is there for who asks for it. */
  readonly allowedDecisions?: readonly DecisionType[];
  /** Validates edited arguments. */
  readonly schema?: StandardSchemaV1<unknown, A>;
  readonly identify?: Identify;
  readonly notify?: Notify;
}

/** The decision that a decided approval stands for; undefined while it is pending. */
export function decisionOf<A>(approval: Approval): Decision<A> | undefined {
  const approvalId = approval.id;
  const by = approval.decidedBy === undefined ? {} : { by: approval.decidedBy };
  switch (approval.state) {
    case "pending":
      return undefined;
    case "approved":
      return { type: "approve", args: approval.decidedArgs as A, approvalId, ...by };
    case "edited":
      return { type: "edit", args: approval.decidedArgs as A, approvalId, ...by };
    case "rejected":
      return { type: "reject", reason: approval.reason ?? rejectedWithoutReason(approval), approvalId, ...by };
    case "responded":
      return { type: "respond", message: approval.reason ?? "", approvalId, ...by };
    case "expired":
      return { type: "expired", approvalId };
  }
}

function rejectedWithoutReason({ action, toolCallId }: Approval): string {
  const call = toolCallId === undefined ? "" : ` with id ${toolCallId}`;
  return `User rejected the ${toolCallId === undefined ? "action" : "tool call for"} \`${action}\`${call}`;
}
