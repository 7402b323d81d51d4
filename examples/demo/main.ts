import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { colorsFor } from "../../src/cli/colors.js";
import { killAll } from "./process.js";
import { approvedTwice } from "./scenes/approved-twice.js";
import { asksAPerson } from "./scenes/asks-a-person.js";
import { asksFirst } from "./scenes/asks-first.js";
import { killedAfterTheCall } from "./scenes/killed-after-the-call.js";
import { looksItUp } from "./scenes/looks-it-up.js";
import { position } from "./scenes/position.js";
import { size } from "./scenes/size.js";
import { Stage } from "./stage.js";

const SCENES = [asksFirst, killedAfterTheCall, looksItUp, asksAPerson, approvedTwice, position, size];

const started = performance.now();
const folder = mkdtempSync(join(tmpdir(), "waypoint-demo-"));
process.once("exit", () => {
  killAll();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});
// Leaving through `exit` removes the folder.
process.once("SIGINT", () => process.exit(130));
process.once("SIGTERM", () => process.exit(143));
// So does a reader that has seen enough, such as `head`.
process.stdout.once("error", () => process.exit());

const colors = colorsFor(process.stdout, process.env);
const stage = new Stage(folder, colors);
console.log(
  colors.dim("An airline's support agent: createAgent, a scripted model, and an airline that counts every call."),
);
for (const [index, scene] of SCENES.entries()) {
  stage.title(index + 1, SCENES.length, scene.title);
  await scene.play(stage);
}

const seconds = ((performance.now() - started) / 1000).toFixed(1);
if (stage.broken.length === 0) {
  console.log(`\n${colors.green(`All ${stage.kept.length} promises kept`)} in ${seconds} s.`);
} else {
  console.log(`\n${colors.red("Not kept:")} ${stage.broken.join("; ")}`);
  process.exitCode = 1;
}
