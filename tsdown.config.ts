import { defineConfig } from "tsdown";

const doors = {
  index: "src/index.ts",
  "checkpointer/index": "src/checkpointer/index.ts",
  "nodes/index": "src/nodes/index.ts",
  "guards/index": "src/guards/index.ts",
  "testing/index": "src/testing/index.ts",
  "audit/index": "src/audit/index.ts",
  "ui/index": "src/ui/index.ts",
  "eslint/index": "src/eslint/index.ts",
};

/** One output file per source file, so that the doors share modules instead of each carrying a copy. */
export default defineConfig({
  entry: doors,
  root: "src",
  format: {
    // The command line is ESM only; nothing imports it.
    esm: { entry: { ...doors, "cli/main": "src/cli/main.ts" } },
    cjs: {},
  },
  platform: "node",
  target: "node20.19",
  unbundle: true,
  fixedExtension: false,
  dts: true,
  shims: true,
  clean: true,
  failOnWarn: true,
  // That CommonJS is old is known; agents that still run on it are why it is here.
  checks: { legacyCjs: false },
});
