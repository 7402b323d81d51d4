/** What ties an effect in a node to the approval that `requestApproval` got: the very arguments that it handed out. */
import { Annotation, START, StateGraph } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { SlimSaver } from "../../../src/checkpointer/index.js";
import { decide, effect, ledgerOf, pendingApprovals, requestApproval, resume } from "../../../src/nodes/index.js";

interface Payment extends Record<string, unknown> {
  amount: number;
}

let names = 0;

/** A graph that asks, lets `tamper` at what was decided, pays, does what is to be done `between`, and tells of it. */
function shop(tamper: (args: Payment) => Payment = (args) => args, between: () => void = () => undefined) {
  const clock = { now: () => clock.time, sleep: () => Promise.resolve(), time: Date.parse("2026-11-30T00:00:00Z") };
  const checkpointer = SlimSaver.fromConnString(":memory:", { clock });
  const sent: string[] = [];
  const effectOf = (what: string) =>
    effect({
      name: `approved-args-${what}-${(names += 1)}`,
      key: ({ amount }: Payment) => `${what}:${amount}`,
      run: ({ amount }) => Promise.resolve(sent.push(`${what} ${amount}`)),
    });
  const [pay, tell] = [effectOf("pay"), effectOf("tell")];
  const State = Annotation.Root({ amount: Annotation<number>, outcome: Annotation<string> });
  const app = new StateGraph(State)
    .addNode("pay", async ({ amount }, config) => {
      const decision = await requestApproval<Payment>({ action: "pay", args: { amount }, validFor: "1h" }, config);
      if (decision.type !== "approve" && decision.type !== "edit") return { outcome: decision.type };
      const args = tamper(decision.args);
      await pay(args, config);
      between();
      await tell(args, config);
      return { outcome: "paid" };
    })
    .addEdge(START, "pay")
    .compile({ checkpointer });
  const config = { configurable: { thread_id: "t" } };
  const ledger = ledgerOf(checkpointer);
  const approve = async (decision: Parameters<typeof decide>[2] = { type: "approve" }): Promise<void> => {
    const [approval] = await pendingApprovals(ledger);
    await decide(ledger, approval?.id ?? "", decision, { by: "ann" });
  };
  return { app, config, clock, sent, approve, ledger };
}

describe("an effect that gets a decision's arguments", () => {
  it("runs with what was decided, and so does a second one", async () => {
    const { app, config, sent, approve } = shop();
    await app.invoke({ amount: 5 }, config);
    await approve({ type: "edit", args: { amount: 4 } });
    expect((await resume(app, config)).values).toMatchObject({ outcome: "paid" });
    expect(sent).toEqual(["pay 4", "tell 4"]);
  });

  it("sends nothing when they were changed after the decision", async () => {
    const { app, config, sent, approve } = shop((args) => Object.assign(args, { amount: 1_000_000 }));
    await app.invoke({ amount: 5 }, config);
    await approve();
    await expect(resume(app, config)).rejects.toMatchObject({ code: "APPROVAL_MISMATCH" });
    expect(sent).toEqual([]);
  });

  it("asks anew when the decision is too old by the time it is taken up, and says why", async () => {
    const { app, config, clock, sent, approve, ledger } = shop();
    await app.invoke({ amount: 5 }, config);
    await approve();
    clock.time += 2 * 3_600_000;
    const { status, pending } = await resume(app, config);
    expect([status, sent]).toEqual(["waiting", []]);
    expect(JSON.stringify(pending[0]?.value)).toContain("was good until");
    expect(await pendingApprovals(ledger)).toHaveLength(1);
    await approve();
    expect((await resume(app, config)).values).toMatchObject({ outcome: "paid" });
    expect(sent).toEqual(["pay 5", "tell 5"]);
  });

  it("sends nothing when the decision grows too old between the two lines, and asks anew on the next run", async () => {
    let wait = 2 * 3_600_000;
    const { app, config, clock, sent, approve } = shop((args) => {
      clock.time += wait;
      wait = 0;
      return args;
    });
    await app.invoke({ amount: 5 }, config);
    await approve();
    await expect(resume(app, config)).rejects.toMatchObject({ code: "APPROVAL_EXPIRED" });
    expect(sent).toEqual([]);
    expect((await resume(app, config)).status).toBe("waiting");
    await approve();
    expect((await resume(app, config)).values).toMatchObject({ outcome: "paid" });
    expect(sent).toEqual(["pay 5", "tell 5"]);
  });

  it("is not asked about again once one of them was carried out", async () => {
    let crashes = 1;
    const { app, config, clock, sent, approve } = shop(undefined, () => {
      if (crashes-- > 0) throw new Error("crashed in between");
    });
    await app.invoke({ amount: 5 }, config);
    await approve();
    await expect(resume(app, config)).rejects.toThrow("crashed in between");
    clock.time += 2 * 3_600_000;
    expect((await resume(app, config)).values).toMatchObject({ outcome: "paid" });
    expect(sent).toEqual(["pay 5", "tell 5"]);
  });
});
