import { expect, it } from "vitest";
import { colorsFor } from "../../src/cli/colors.js";

it.each([
  ["a terminal", true, {}, true],
  ["a pipe", false, {}, false],
  ["a pipe in a build server", false, { CI: "true" }, false],
  ["a pipe with FORCE_COLOR", false, { FORCE_COLOR: "1" }, true],
  ["a terminal with FORCE_COLOR=0", true, { FORCE_COLOR: "0" }, false],
  ["a terminal with NO_COLOR", true, { NO_COLOR: "1", FORCE_COLOR: "1" }, false],
  ["a dumb terminal", true, { TERM: "dumb" }, false],
])("%s", (_, isTTY, env, colored) => {
  expect(colorsFor({ isTTY }, env).isColorSupported).toBe(colored);
});
