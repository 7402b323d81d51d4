import pc from "picocolors";
import { describe, expect, it } from "vitest";
import { renderActions } from "../../src/cli/render-actions.js";
import { shownAction } from "../../src/cli/shown-actions.js";
import type { AttemptRow, EffectRow } from "../../src/nodes/effect-row.js";

const AT = Date.parse("2026-11-30T12:00:00.000Z");
const plain = pc.createColors(false);

const ROW = {
  id: "eff_1",
  name: "refund",
  key: "refund:o-1",
  args: '{"iban":"DE02"}',
  state: "SUCCEEDED",
  approvalId: "ap-1",
  since: AT,
  evidence: "ada: seen on statement 7",
  error: undefined,
} as EffectRow;

const ATTEMPTS = [
  {
    number: 1,
    startedAt: AT,
    endedAt: AT + 1000,
    outcome: "ambiguous",
    error: { class: "timeout", name: "AbortError", message: "no answer from DE02" },
    evidence: "lookup: unknown",
    late: null,
  },
  {
    number: 2,
    startedAt: AT + 2000,
    endedAt: null,
    outcome: null,
    error: undefined,
    evidence: null,
    late: "returned DE02",
  },
] as AttemptRow[];

function rendered(redacted: boolean): string {
  return renderActions({ threadId: "t", redacted, actions: [shownAction(ROW, ATTEMPTS, redacted)] }, plain);
}

describe("the effects of a thread in the terminal", () => {
  it("show each attempt and what is known of it", () => {
    expect(rendered(false)).toMatchInlineSnapshot(`
      "refund  SUCCEEDED  since 2026-11-30 12:00:00 UTC  eff_1
        key       refund:o-1
        with      {"iban":"DE02"}
        approval  ap-1
        evidence  ada: seen on statement 7
        attempt 1  ambiguous  2026-11-30 12:00:00 UTC to 2026-11-30 12:00:01 UTC  AbortError: no answer from DE02; lookup: unknown
        attempt 2  started    2026-11-30 12:00:02 UTC to ?                        late: returned DE02"
    `);
  });

  it("hide values and keep the ledger's own words when they are redacted", () => {
    const text = rendered(true);
    expect(text).not.toMatch(/o-1|DE02|statement/);
    expect(text).toMatch(/lookup: unknown/);
    expect(text).toMatch(/AbortError/);
    expect(text).toMatch(/--no-redact/);
  });

  it("cannot steer the terminal", () => {
    const evil = "\u001b[2J\u202E\n";
    const row = { ...ROW, name: evil, key: evil, args: evil, evidence: evil };
    const attempts = [
      { ...ATTEMPTS[0], evidence: evil, late: evil, error: { class: "timeout", name: evil, message: evil } },
    ];
    const actions = [shownAction(row, attempts as AttemptRow[], false)];
    const text = renderActions({ threadId: evil, redacted: false, actions }, plain);
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it("say so when there are none", () => {
    expect(renderActions({ threadId: "t", redacted: true, actions: [] }, plain)).toBe("t  no effects");
  });
});
