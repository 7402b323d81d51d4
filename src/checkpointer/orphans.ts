import type { MaintenanceTable } from "../store/sqlite/maintenance.js";
import type { ObjectTable } from "../store/sqlite/objects.js";
import { damaged } from "./damage.js";
import { referencesOfRow, referencesOfTask, walk } from "./reach.js";

export interface Orphan {
  readonly id: number;
  readonly bytes: number;
}

/**
 * The objects to which nothing refers: of the tenant where they are sealed, else of the whole database.
 *
 * @throws CorruptObjectError when something that is referred to is missing or damaged, DecryptionError
 */
export function orphans(table: MaintenanceTable, objects: ObjectTable): Orphan[] {
  const rows = table.referringCheckpoints().flatMap(referencesOfRow);
  const writes = table.referringWrites().flatMap(({ body }) => referencesOfTask(body));
  const { reached, broken } = walk([...rows, ...writes], (id) => objects.readUnchecked(id));
  // What stands below a broken object is not seen from here, and may be all that a backup needs to make it whole.
  for (const id of broken.keys()) throw damaged(`Object ${id}, to which something still refers,`);
  return table.objectSizes().filter(({ id }) => !reached.has(id));
}
