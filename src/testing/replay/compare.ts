import type { OutsideCall, OutsideKind } from "./recording.js";

/** A call that a node makes again when it is answered. */
export interface ReplayFinding {
  /** `repeated`: it changes something, and did so again. `changed`: it only looks, and saw something else. */
  readonly what: "repeated" | "changed";
  readonly kind: OutsideKind;
  /** `POST https://bank.test/refunds`, `fs.appendFile(log.txt)`, `Date.now()`; without query and content. */
  readonly call: string;
  readonly node: string;
  readonly file: string | undefined;
  readonly line: number | undefined;
  /** The runs in which it was made, from 0. */
  readonly passes: readonly number[];
}

/** What the same visit of a node did in more than one run. */
export function compareCalls(calls: readonly OutsideCall[]): ReplayFinding[] {
  return [...groupsOf(calls).values()].flatMap((group): ReplayFinding[] => {
    const [first] = group;
    const passes = [...new Set(group.map(({ pass }) => pass))].sort((a, b) => a - b);
    if (first === undefined || passes.length < 2) return [];
    const what = first.changes ? "repeated" : "changed";
    if (what === "changed" && !differ(group, passes)) return [];
    const { kind, call, node, at } = first;
    return [{ what, kind, call, node, file: at?.file, line: at?.line, passes }];
  });
}

function groupsOf(calls: readonly OutsideCall[]): Map<string, OutsideCall[]> {
  const groups = new Map<string, OutsideCall[]>();
  for (const call of calls) {
    const key = [call.visit, call.at?.file, call.at?.line, call.call].join("\n");
    groups.set(key, [...(groups.get(key) ?? []), call]);
  }
  return groups;
}

/** Whether the runs saw different things. */
function differ(group: readonly OutsideCall[], passes: readonly number[]): boolean {
  const seen = passes.map((pass) =>
    group.flatMap((call) => (call.pass === pass ? [call.result ?? ""] : [])).join("\n"),
  );
  return new Set(seen).size > 1;
}
