import { Annotation, MemorySaver, START, StateGraph } from "@langchain/langgraph";
import type { ApprovalOptions } from "../../../nodes/request-approval.js";
import { decide, pendingApprovals } from "../../../nodes/decide.js";
import { requestApproval } from "../../../nodes/request-approval.js";
import type { ResumableGraph } from "../../../nodes/resume.js";
import { same, there } from "../../claims.js";
import type { Group } from "../../suite.js";
import { refused } from "../errors-of.js";
import { begin, goOn } from "../graphs.js";
import type { LedgerTrial } from "../trial.js";

const State = Annotation.Root({ said: Annotation<unknown> });
const approve = { type: "approve" } as const;

async function asking({ ledger, name }: LedgerTrial, options: Partial<ApprovalOptions<{ cents: number }>> = {}) {
  const threadId = name("t");
  const app = new StateGraph(State)
    .addNode("ask", async (_state, given) => {
      const decision = await requestApproval({ action: "refund", args: { cents: 5 }, ...options }, given);
      return { said: [decision.type, "args" in decision ? decision.args : undefined] };
    })
    .addEdge(START, "ask")
    .compile({ checkpointer: new MemorySaver() }) as unknown as ResumableGraph;
  await begin(app, threadId);
  const [first] = await pendingApprovals(ledger, { threadId });
  const { id } = there(first, "An approval that is asked for is not among those that wait.");
  return { app, id, threadId };
}

/** A decision belongs to one approval, and is made once. */
export const approvals: Group<LedgerTrial> = {
  title: "approvals",
  checks: {
    "are asked for once, however often the node runs": async (trial) => {
      const { app, id, threadId } = await asking(trial);
      for (let pass = 0; pass < 3; pass += 1) await goOn(app, threadId);
      const ids = (await pendingApprovals(trial.ledger, { threadId })).map((approval) => approval.id);
      same(ids, [id], "A node that ran again asked for another approval.");
    },

    "are decided once: a second decision changes nothing and says so": async (trial) => {
      const { app, id, threadId } = await asking(trial);
      const first = await decide(trial.ledger, id, approve, { by: "ann" });
      const second = await decide(trial.ledger, id, { type: "reject", message: "no" }, { by: "bob" });
      same(
        [first.applied, second.applied, second.reason],
        [true, false, "already-decided"],
        "An approval was decided twice.",
      );
      const { values } = await goOn(app, threadId);
      same(values, { said: ["approve", { cents: 5 }] }, "The node got another decision than the first.");
    },

    "decided by several at once, are decided by one": async (trial) => {
      const { id } = await asking(trial);
      const names = ["ann", "bob", "cy", "di"];
      const all = await Promise.all(names.map((by) => decide(trial.ledger, id, approve, { by })));
      same(all.filter(({ applied }) => applied).length, 1, "Several decisions were applied to one approval.");
      same(new Set(all.map(({ approval }) => approval.decidedBy)).size, 1, "Not all were told who decided.");
    },

    "are not decided by a stranger, nor when it is too late": async (trial) => {
      const { ledger, clock } = trial;
      const { id } = await asking(trial, { approvers: ["ann"], decideWithin: "1h" });
      same((await decide(ledger, id, approve, { by: "eve" })).reason, "not-an-approver", "A stranger decided.");
      await clock.advance("2h");
      same(
        (await decide(ledger, id, approve, { by: "ann" })).reason,
        "expired",
        "An approval was decided after its time.",
      );
      same(await pendingApprovals(ledger), [], "An approval that is over still waits for a decision.");
    },

    "that are not there cannot be decided": async ({ ledger }) => {
      await refused(
        decide(ledger, "apr_none", approve, { by: "ann" }),
        "APPROVAL_NOT_FOUND",
        "What is not there was decided.",
      );
    },
  },
};
