import { expect, it } from "vitest";
import { show } from "../../bench/detector/command.js";
import { measureDetector } from "../../bench/detector/detector.js";

it("looking for loops is measured for new, failing and looping calls, and finds what is there", () => {
  const report = measureDetector({ calls: 40, bytes: 200, runs: 1, seed: 7 });
  const figures = {
    foldMs: expect.any(Number) as number,
    foldCpuMs: expect.any(Number) as number,
    oneMoreUs: expect.any(Number) as number,
    stateBytes: expect.any(Number) as number,
  };
  expect(report).toMatchObject({
    bench: "detector",
    calls: 40,
    histories: { new: { ...figures, verdicts: 0 }, failing: figures, looping: figures },
  });
  expect(report.histories.looping.verdicts).toBeGreaterThan(0);
  expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  expect(show(report)).toMatch(/^looping/m);
});
