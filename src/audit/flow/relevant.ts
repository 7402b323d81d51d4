import type { Project } from "../project/project.js";
import type { SourceFile } from "../project/source-file.js";
import { speaksOfInterrupts } from "../project/source-file.js";
import { functionsOf, Leads } from "./leads.js";
import type { World } from "./meaning.js";

const IMPORTS = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*["'`]([^"'`\n]+)["'`]/g;
const TYPES = /^\s*(?:import|export)\s+type\b[^;"']*["'][^"'\n]*["']/gm;
const PASSES_ON = /\bexport\b[^;]*\bfrom\b|\bmodule\.exports\b/;
const MOST_ROUNDS = 8;

/**
 * The files in which there may be anything to find: those that speak of interrupts, and those that import a file in
 * which something leads to one, over any number of steps. The others are read when something leads to them.
 */
export function relevantFiles(project: Project, world: World): SourceFile[] {
  const importers = importersIn(project);
  const relevant = new Set(project.files.filter(({ text }) => speaksOfInterrupts(text)));
  const leading = new Set<SourceFile>();
  for (let round = 0, size = -1; round < MOST_ROUNDS && size !== relevant.size; round += 1) {
    size = relevant.size;
    const leads = new Leads(world, relevant);
    for (const file of [...relevant]) {
      if (!leading.has(file) && !leadsAnywhere(file, leads)) continue;
      leading.add(file);
      for (const importer of importers.get(file) ?? []) relevant.add(importer);
    }
  }
  return project.files.filter((file) => relevant.has(file));
}

function leadsAnywhere(file: SourceFile, leads: Leads): boolean {
  if (PASSES_ON.test(file.text)) return true;
  return functionsOf(file).some((fn) => leads.from({ kind: "function", fn, file, env: undefined }));
}

function importersIn(project: Project): Map<SourceFile, SourceFile[]> {
  const importers = new Map<SourceFile, SourceFile[]>();
  for (const file of project.files) {
    for (const [, specifier = ""] of file.text.replaceAll(TYPES, "").matchAll(IMPORTS)) {
      const target = project.resolve(file, specifier);
      if (target !== undefined) importers.set(target, [...(importers.get(target) ?? []), file]);
    }
  }
  return importers;
}
