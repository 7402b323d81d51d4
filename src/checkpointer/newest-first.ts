import type { CheckpointRow, CheckpointTable } from "../store/sqlite/checkpoints.js";

const PAGE = 64;

/**
 * The rows of a namespace, newest first, as LangGraph compares ids: as texts. UUIDs are stored in a form of their own,
 * so a namespace that has other ids too is read in two streams.
 */
export function* newestFirst(
  table: CheckpointTable,
  namespace: number,
  before: string | undefined,
): Generator<CheckpointRow> {
  const uuids = rowsOf(table, namespace, "uuid", before);
  if (!table.hasTextIds(namespace)) {
    yield* uuids;
    return;
  }
  const texts = rowsOf(table, namespace, "text", before);
  let uuid = uuids.next();
  let text = texts.next();
  while (uuid.done !== true || text.done !== true) {
    if (text.done === true || (uuid.done !== true && uuid.value.id > text.value.id)) {
      if (uuid.done !== true) yield uuid.value;
      uuid = uuids.next();
    } else {
      yield text.value;
      text = texts.next();
    }
  }
}

function* rowsOf(
  table: CheckpointTable,
  namespace: number,
  kind: "uuid" | "text",
  before: string | undefined,
): Generator<CheckpointRow> {
  let bound = before;
  for (;;) {
    const page = table.older(namespace, kind, bound, PAGE);
    for (const row of page) if (before === undefined || row.id < before) yield row;
    if (page.length < PAGE) return;
    bound = page.at(-1)?.id;
  }
}
