import { expect, it } from "vitest";
import { fromNow, moment } from "../../src/cli/moments.js";

const NOW = Date.parse("2026-11-30T12:00:00.000Z");

it.each([
  ["2026-12-02T12:00:00.000Z", "in 2 d"],
  ["2026-12-01T11:59:59.900Z", "in 24 h"],
  ["2026-11-30T12:05:00.000Z", "in 5 min"],
  ["2026-11-30T12:00:00.200Z", "now"],
  ["2026-11-30T11:59:30.000Z", "30 s ago"],
  ["soon", ""],
])("%s is %s", (iso, words) => {
  expect(fromNow(iso, NOW)).toBe(words);
});

it("a time is shown to the second, and what is no time as it is", () => {
  expect([moment("2026-11-30T12:00:00.123Z"), moment("soon")]).toEqual(["2026-11-30 12:00:00 UTC", "soon"]);
});
