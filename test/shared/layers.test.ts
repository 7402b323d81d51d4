import { dirname, join } from "node:path/posix";
import { expect, it } from "vitest";
import type { SourceFile } from "../source-files.js";
import { sourceFiles } from "../source-files.js";

/** The folder of `src/` a file lives in; `""` for `src/index.ts`. */
function room(path: string): string {
  return path.includes("/") ? path.slice(0, path.indexOf("/")) : "";
}

function roomsImportedBy({ path, text }: SourceFile): string[] {
  return [...text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)]
    .map((match) => room(join(dirname(path), match[1]!)))
    .filter((target) => target !== room(path));
}

/** Folder → the other folders it imports from. */
function imports(files: SourceFile[]): Map<string, Set<string>> {
  const rooms = new Map<string, Set<string>>();
  for (const file of files) {
    const targets = rooms.get(room(file.path)) ?? new Set();
    roomsImportedBy(file).forEach((target) => targets.add(target));
    rooms.set(room(file.path), targets);
  }
  return rooms;
}

function circles(rooms: Map<string, Set<string>>): string[] {
  const found: string[] = [];
  const walk = (trail: string[]): void => {
    for (const next of rooms.get(trail.at(-1)!) ?? []) {
      if (next === trail[0]) found.push([...trail, next].join(" → "));
      else if (!trail.includes(next)) walk([...trail, next]);
    }
  };
  for (const start of rooms.keys()) walk([start]);
  return found;
}

it("folders do not import each other in a circle", () => {
  expect(circles(imports(sourceFiles()))).toEqual([]);
});

it("a circle between folders is found", () => {
  const files = [
    { path: "a/one.ts", text: 'import { two } from "../b/two.js";' },
    { path: "b/two.ts", text: 'export type { One } from "../a/one.js";' },
  ];
  expect(circles(imports(files))).toContain("a → b → a");
});
