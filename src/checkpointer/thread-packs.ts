import type { CheckpointTable, Namespace } from "../store/sqlite/checkpoints.js";
import type { ObjectTable } from "../store/sqlite/objects.js";
import { PackedReader, PackedWriter } from "./packed.js";

/** How much text is deflated together, in characters; zlib looks back 32 KB. */
const PACK_LENGTH = 48_000;
/** Shorter texts are worth no place in a pack, longer ones deflate well alone. */
const SHORTEST = 64;
const LONGEST = 16_000;

/** An object that stands alone yet. */
interface Loose {
  readonly id: number;
  readonly length: number;
}

/**
 * Packs what is said in a thread. A new object stands alone at first, so that a turn writes what it adds; once a thread
 * has enough of them, they move together into one pack. The row of the thread knows those that wait for it, so that a
 * process of one turn does its share.
 */
export class ThreadPacks {
  private fresh: Loose[] = [];
  /** Whether a thread is being written to at this moment. */
  private isOpen = false;
  private readonly writer = new PackedWriter();

  constructor(
    private readonly objects: ObjectTable,
    private readonly table: CheckpointTable,
    /** No: lengths would tell what a sealed text has in common with others. */
    private readonly isAllowed: boolean,
  ) {}

  /** Runs what stores objects of one thread, within a transaction, and packs what has gathered. */
  within(namespace: Namespace, work: () => void): void {
    this.isOpen = this.isAllowed;
    this.fresh = [];
    try {
      work();
    } finally {
      this.isOpen = false;
    }
    if (this.fresh.length > 0) this.settle(namespace.threadRow);
  }

  /** A new object of the thread: something that was said. */
  notice(id: number, text: string): void {
    if (!this.isOpen || text.length < SHORTEST || text.length > LONGEST) return;
    this.fresh.push({ id, length: text.length });
  }

  private settle(threadRow: number): void {
    const loose = [...this.looseIn(this.table.loose(threadRow)), ...this.fresh];
    this.fresh = [];
    for (let pack = firstPack(loose); pack > 0; pack = firstPack(loose)) {
      this.objects.pack(loose.splice(0, pack).map(({ id }) => id));
    }
    this.table.setLoose(threadRow, this.bytesOf(loose));
  }

  private looseIn(bytes: Buffer | null): Loose[] {
    const loose: Loose[] = [];
    const reader = new PackedReader(bytes ?? Buffer.alloc(0));
    for (let id = 0; !reader.isAtEnd;) {
      id += reader.uint();
      loose.push({ id, length: reader.uint() });
    }
    return loose;
  }

  /** Ids rise: each as its distance from the one before. */
  private bytesOf(loose: readonly Loose[]): Buffer | null {
    let before = 0;
    for (const { id, length } of loose) {
      this.writer.uint(id - before);
      this.writer.uint(length);
      before = id;
    }
    return loose.length === 0 ? null : this.writer.finish();
  }
}

/** How many of them fill a pack; 0 when they do not yet. */
function firstPack(loose: readonly Loose[]): number {
  let length = 0;
  return loose.findIndex((one) => (length += one.length) >= PACK_LENGTH) + 1;
}
