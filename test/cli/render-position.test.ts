import pc from "picocolors";
import { describe, expect, it } from "vitest";
import { artifactRef } from "../../src/checkpointer/index.js";
import type { Position } from "../../src/checkpointer/index.js";
import { renderPosition } from "../../src/cli/render-position.js";
import { fullPosition, redactedPosition } from "../../src/cli/shown-position.js";
import type { Approval } from "../../src/nodes/approval.js";

const NOW = Date.parse("2026-11-30T12:00:00.000Z");
const plain = { colors: pc.createColors(false), now: NOW };

const POSITION: Position = {
  threadId: "order-7",
  state: "waiting",
  step: 4,
  checkpointId: "1f0",
  updatedAt: "2026-11-30T11:59:00.000Z",
  next: ["pay"],
  done: ["plan", "book"],
  effects: [
    { id: "eff_1", name: "book", key: "book:QX7M2P", state: "UNKNOWN", attempts: 2, since: "2026-11-30T11:58:00.000Z" },
  ],
  waitingFor: [
    { kind: "approval", id: "ap-1", what: "Pays Ines back", decideBy: "2026-11-30T13:00:00.000Z" },
    { kind: "question", id: "q-1", what: "Which card of Ines?" },
    { kind: "question", id: "q-2", what: "waypoint.unknown_effect: book" },
  ],
  lastError: { name: "TypeError", message: "card 4111 is not valid" },
  todos: [
    { content: "Book the flight", status: "completed" },
    { content: "Pay back", status: "in_progress" },
  ],
  plan: { steps: ["secret step"] },
  references: [
    { kind: "channel", channel: "messages", items: 12, newest: "ai: Your card 4111 was charged" },
    {
      kind: "artifact",
      ref: artifactRef(`artifact://sha256/${"a".repeat(64)}`),
      name: "invoice of Ines.pdf",
      mediaType: "application/pdf",
      bytes: 48_213,
      createdAt: "2026-11-30T11:58:30.000Z",
    },
  ],
};

const APPROVAL = { id: "ap-1", action: "refund", args: { amount: 1250 }, approvers: ["ann"] } as Partial<Approval>;
const APPROVALS = [APPROVAL as Approval];

describe("a position in the terminal", () => {
  it("shows everything that there is", () => {
    expect(renderPosition(fullPosition(POSITION, APPROVALS), plain)).toMatchInlineSnapshot(`
      "order-7  waiting
      step 4, 2026-11-30 11:59:00 UTC

      done         plan, book
      next         pay
      todos        ✓ Book the flight
                   ▸ Pay back
      plan         {"steps":["secret step"]}
      effects      book  UNKNOWN  2 attempts  since 2026-11-30 11:58:00 UTC
                         eff_1, key book:QX7M2P
      waiting for  approval  refund
                             with {"amount":1250}
                             summary: Pays Ines back
                             until 2026-11-30 13:00:00 UTC (in 1 h)
                             by ann
                             ap-1
                   question  Which card of Ines?
                             q-1
                   question  waypoint.unknown_effect: book
                             q-2
      last error   TypeError: card 4111 is not valid
      references   messages  12 items  newest ai: Your card 4111 was charged
      artifacts    invoice of Ines.pdf  application/pdf  48 kB
                                        artifact://sha256/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
    `);
  });

  it("hides values and keeps names when it is redacted", () => {
    const text = renderPosition(redactedPosition(POSITION, APPROVALS), plain);
    expect(text).not.toMatch(/QX7M2P|4111|1250|Ines|secret/);
    expect(text).toMatch(/refund/);
    expect(text).toMatch(/book +UNKNOWN/);
    expect(text).toMatch(/Pay back/);
    expect(text).toMatch(/waypoint\.unknown_effect: book/);
    expect(text).toMatch(/--no-redact/);
  });

  it("says that an approval stands for the whole run, hidden values or not", () => {
    const approvals = [{ ...APPROVAL, standsFor: "run" } as Approval];
    for (const shown of [fullPosition(POSITION, approvals), redactedPosition(POSITION, approvals)])
      expect(renderPosition(shown, plain)).toContain('Approving allows every later "refund" of this run');
  });

  it("does not take a question for ours because it begins like one", () => {
    const forged: Position = {
      ...POSITION,
      waitingFor: [{ kind: "question", id: "q", what: "waypoint.x: secret" }],
    };
    expect(renderPosition(redactedPosition(forged, []), plain)).not.toMatch("secret");
  });

  it("cannot be steered by what others wrote, wherever they wrote it", () => {
    const evil = "\u001b[2J\u202Ex\u0007\n";
    const everywhere = JSON.parse(JSON.stringify(POSITION), (key, value: unknown) =>
      typeof value === "string" && key !== "state" && key !== "kind" ? value + evil : value,
    ) as Position;
    const approvals = [{ ...APPROVAL, id: `ap-1${evil}`, action: evil, args: { [evil]: evil }, approvers: [evil] }];
    for (const view of [fullPosition, redactedPosition]) {
      const text = renderPosition(view(everywhere, approvals as unknown as Approval[]), plain);
      expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    }
  });

  it("is a few lines for a thread that has done nothing yet", () => {
    const { lastError: _error, plan: _plan, ...rest } = POSITION;
    const fresh: Position = {
      ...rest,
      state: "working",
      done: [],
      effects: [],
      waitingFor: [],
      todos: [],
      references: [],
    };
    expect(renderPosition(fullPosition(fresh, []), plain)).toMatchInlineSnapshot(`
      "order-7  working
      step 4, 2026-11-30 11:59:00 UTC

      next  pay"
    `);
  });

  it("is coloured only when it is asked to be", () => {
    const colored = renderPosition(fullPosition(POSITION, APPROVALS), { ...plain, colors: pc.createColors(true) });
    expect(colored).toContain("\u001b[33mwaiting");
  });
});

describe("a wait in the terminal", () => {
  const waiting: Position = {
    ...POSITION,
    effects: [],
    todos: [],
    references: [],
    waitingFor: [
      { kind: "wait", id: "w-1", what: "sleep", until: "2026-11-30T15:00:00.000Z" },
      { kind: "wait", id: "w-2", what: "event paid" },
      { kind: "wait", id: "w-3", what: "retry", until: "2026-11-30T12:15:00.000Z", reason: "Ines' bank is closed." },
    ],
  };
  const lines = (position: ReturnType<typeof fullPosition>): string[] =>
    renderPosition(position, plain)
      .split("\n")
      .map((line) => line.trim());

  it("says what is waited for, until when and why", () => {
    expect(lines(fullPosition(waiting, []))).toEqual(
      expect.arrayContaining([
        "waiting for  wait  sleep",
        "until 2026-11-30 15:00:00 UTC (in 3 h)",
        "wait  event paid",
        "wait  retry",
        "because Ines' bank is closed.",
        "until 2026-11-30 12:15:00 UTC (in 15 min)",
      ]),
    );
  });

  it("hides the reason, which may say anything, and keeps the names", () => {
    const shown = lines(redactedPosition(waiting, [])).join("\n");
    expect(shown).toContain("wait  event paid");
    expect(shown).not.toContain("Ines");
  });
});
