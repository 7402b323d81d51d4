import type { Project } from "./project.js";
import type { SourceFile } from "./source-file.js";

/** What a file says that can lead to a question by itself. */
const ASKS = /interrupt|Interrupt|requestApproval|waitForEvent|sleepUntil|retryLater|resume/;
const IMPORTS = /(?:from|import|require)\s*\(?\s*["'`]([^"'`\n]+)["'`]/g;

/**
 * The files in which there may be anything to find: those that speak of interrupts, and those that import them, over
 * any number of steps. The others are read when something leads to them.
 */
export function relevantFiles(project: Project): SourceFile[] {
  const importers = new Map<SourceFile, SourceFile[]>();
  for (const file of project.files) {
    for (const [, specifier = ""] of file.text.matchAll(IMPORTS)) {
      const target = project.resolve(file, specifier);
      if (target !== undefined) importers.set(target, [...(importers.get(target) ?? []), file]);
    }
  }
  const relevant = new Set(project.files.filter(({ text }) => ASKS.test(text)));
  for (const file of relevant) for (const importer of importers.get(file) ?? []) relevant.add(importer);
  return project.files.filter((file) => relevant.has(file));
}
