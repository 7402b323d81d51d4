import type { Approval, DecisionType } from "../nodes/approval.js";
import { standing } from "../nodes/approval-question.js";
import { jsonLines } from "../shared/printable.js";
import { html, type Markup } from "./html.js";

/** How many approvals a page shows. */
const MOST = 100;

/** Everything that waits, oldest first; each leads to its own page. */
export function inboxPage(pending: readonly Approval[], base: string): Markup {
  const more = pending.length - MOST;
  return html`<h1>Waiting for a decision: ${pending.length}</h1>
    ${pending.slice(0, MOST).map((approval) => listed(approval, base))}
    ${more > 0 ? html`<p>And ${more} more: they appear here as these are decided.</p>` : undefined}
    ${pending.length === 0 ? html`<p>Nothing waits for a person.</p>` : undefined}`;
}

function listed(approval: Approval, base: string): Markup {
  const link = `${base}/approvals/${encodeURIComponent(approval.id)}`;
  return html`<article>
    <h2><a href="${link}">${approval.action}</a></h2>
    ${facts(approval)} ${shownAction(approval)}
  </article>`;
}

/** What a form that was not taken held, so that nobody has to type it again. */
export interface Typed {
  readonly args?: string | undefined;
  readonly message?: string | undefined;
}

/** What one approval's page is about. */
export interface ApprovalView {
  readonly approval: Approval;
  readonly base: string;
  /** Whether it still waits for a decision. */
  readonly isOpen: boolean;
  /** Why this person may not decide on it. */
  readonly stranger: string | undefined;
  readonly token: string;
  readonly by: string;
  /** What came of the last form, or why it was not taken. */
  readonly notice?: { readonly text: string; readonly isProblem: boolean } | undefined;
  readonly typed?: Typed;
}

/** One approval: what is asked, and the forms that answer it, or what became of it. */
export function approvalPage(view: ApprovalView): Markup {
  const { approval, base, isOpen, notice } = view;
  return html`<p><a href="${base}/">All that waits</a></p>
    ${notice && html`<p class="notice${notice.isProblem ? " problem" : ""}">${notice.text}</p>`}
    <article>
      <h1>${approval.action}</h1>
      ${facts(approval)} ${shownAction(approval)}
    </article>
    ${isOpen ? forms(view) : outcome(approval)}`;
}

/** Arguments first: they are what runs. A model's words about them stand apart, and are marked as such. */
function shownAction({ args, summary }: Approval): Markup {
  const said =
    summary === undefined
      ? undefined
      : html`<p>What was said about it (only the arguments run):</p>
          <div class="said">${summary}</div>`;
  return html`<pre>${jsonLines(args)}</pre>
    ${said}`;
}

function facts(approval: Approval): Markup {
  const { id, threadId, createdAt, decideBy, approvers, planVersion, toolCallId, problem, standsFor } = approval;
  const lines: readonly (readonly [string, string | undefined])[] = [
    ["thread", threadId],
    ["asked", createdAt],
    ["decide by", decideBy],
    ["approvers", approvers?.join(", ")],
    ["takes in", standsFor === "run" ? standing(approval.action) : undefined],
    ["plan version", planVersion],
    ["tool call", toolCallId],
    ["asked again", problem],
    ["approval", id],
  ];
  return html`<dl>
    ${lines.map(([name, text]) =>
      text === undefined
        ? undefined
        : html`<dt>${name}</dt>
            <dd>${text}</dd>`,
    )}
  </dl>`;
}

function outcome({ state, decidedBy, decidedAt, reason, decidedArgs, decideBy }: Approval): Markup {
  if (state === "pending") return html`<p>It had to be decided by ${decideBy}; nobody can any more.</p>`;
  return html`<p>
      It was
      ${state}${decidedBy === undefined ? "" : ` by ${decidedBy}`}${decidedAt === undefined ? "" : `, at ${decidedAt}`}.
    </p>
    ${reason === undefined ? undefined : html`<div class="said">${reason}</div>`}
    ${state === "edited" ? html`<pre>${jsonLines(decidedArgs)}</pre>` : undefined}`;
}

function forms(view: ApprovalView): Markup {
  const { approval, typed = {}, by, stranger } = view;
  if (stranger !== undefined) return html`<p>${stranger}</p>`;
  const args = typed.args ?? jsonLines(approval.args);
  const fields: Record<DecisionType, Markup> = {
    approve: html``,
    edit: html`<p>
      <label
        >Arguments (JSON)<br /><textarea name="args" rows="${Math.min(args.split("\n").length + 1, 20)}">
${args}</textarea>
      </label>
    </p>`,
    reject: html`<p>
      <label>Why (a model may read it) <input name="message" value="${typed.message}" maxlength="2000" /></label>
    </p>`,
    respond: html`<p>
      <label
        >Answer, in place of the action <input name="message" value="${typed.message}" maxlength="2000" required
      /></label>
    </p>`,
  };
  return html`<p>You decide as ${by}.</p>
    ${approval.allowedDecisions.map((type) => form(view, type, fields[type]))}`;
}

const BUTTONS = {
  approve: "Approve",
  edit: "Approve with these arguments",
  reject: "Reject",
  respond: "Answer",
} as const;

function form({ approval, base, token }: ApprovalView, type: DecisionType, fields: Markup): Markup {
  return html`<form method="post" action="${base}/approvals/${encodeURIComponent(approval.id)}" autocomplete="off">
    <input type="hidden" name="token" value="${token}" />
    <input type="hidden" name="actionHash" value="${approval.actionHash}" />
    ${fields}
    <button name="decision" value="${type}">${BUTTONS[type]}</button>
  </form>`;
}
