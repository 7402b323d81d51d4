import { defineConfig } from "vitest/config";

const conformance = "test/conformance/**/*.test.ts";

export default defineConfig({
  test: {
    environment: "node",
    pool: "forks",
    testTimeout: 30_000,
    hookTimeout: 30_000,
    projects: [
      { extends: true, test: { name: "waypoint", include: ["test/**/*.test.ts"], exclude: [conformance] } },
      // LangGraph's own suite calls the global `describe` and `it`.
      { extends: true, test: { name: "conformance", include: [conformance], globals: true } },
    ],
  },
});
