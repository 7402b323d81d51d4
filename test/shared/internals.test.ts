import { expect, it } from "vitest";
import { sourceFiles } from "../source-files.js";

it("LangGraph's internals are read in one file only", () => {
  const readers = sourceFiles()
    .filter(({ text }) => text.includes("__pregel_"))
    .map(({ path }) => path);
  expect(readers).toEqual(["shared/langgraph.ts"]);
});
