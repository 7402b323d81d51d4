import { CorruptObjectError } from "../errors.js";
import type { Classes } from "../classes.js";
import { reading } from "../damage.js";
import { KIND, reference, typedOf } from "../tree.js";
import type { Tree } from "../tree.js";
import { Gate } from "./gate.js";
import type { PieceStore } from "./piece-store.js";
import { Shelf } from "./shelf.js";
import { hashesIn } from "./stored-form.js";
import type { Stub, Stubs, ValuePlace, WritePlace } from "./stub.js";
import { Uploads } from "./uploads.js";

/** How many characters of pieces stay in memory from one call to the next. */
const SHELF_SIZE = 16_000_000;
/** A value of at most this many bytes, packed, stands in its stub. */
const INLINE_PACKED = 600;
/** The same in characters of the stub: a reference is long there. */
const INLINE_LENGTH = 2048;
/** How many objects are read, and how many are written, at the same time. */
const AT_ONCE = 16;

/** Whose values are read, for those who have to look for what is missing. */
export interface CheckpointPlace {
  readonly threadId: string;
  readonly ns: string;
  readonly checkpointId: string;
}

/** A stub that was opened: the stored form of its tree. */
export interface OpenedStub {
  readonly stored: Tree;
}

/** Values to and from stubs: what is large of them goes to the object store, and comes back from there. */
export class SlimValues {
  private shelf: Shelf;
  private readonly uploads: Uploads;
  private readonly fetches = new Gate(AT_ONCE);

  constructor(
    private readonly pieces: PieceStore,
    private readonly stubs: Stubs,
    private readonly classes: Classes,
  ) {
    this.uploads = new Uploads(pieces, new Gate(AT_ONCE));
    this.shelf = this.newShelf();
  }

  private newShelf(): Shelf {
    return new Shelf(
      this.classes,
      (text) => this.pieces.hashOf(text),
      (piece) => {
        this.uploads.add(piece);
      },
    );
  }

  private openShelf(): Shelf {
    if (this.shelf.size > SHELF_SIZE) this.shelf = this.newShelf();
    return this.shelf;
  }

  /** Forgets what is known of earlier values: what did not become stored must be made again. */
  forget(): void {
    this.shelf = this.newShelf();
    this.uploads.abandon();
  }

  /**
   * Encodes in one go; the pieces are on their way when it returns, and stored when `stored` resolves.
   *
   * @throws UnstorableValueError; then nothing of it is stored
   */
  encode<T>(work: (encoder: StubEncoder) => T): { result: T; stored: Promise<void> } {
    const shelf = this.openShelf();
    try {
      const result = work(new StubEncoder(shelf, this.stubs));
      const stored = this.uploads.settled().catch((error: unknown) => {
        this.forget();
        throw error;
      });
      return { result, stored };
    } catch (error) {
      this.forget();
      throw error;
    }
  }

  /** @throws DecryptionError, SchemaVersionError, CorruptObjectError */
  open(stub: Stub, value: ValuePlace, checkpoint: CheckpointPlace): OpenedStub {
    return reading(nameOf(checkpoint), () => ({ stored: JSON.parse(this.stubs.open(stub, value)) as Tree }));
  }

  /**
   * Fetches what the stubs refer to, level by level, and then runs `work` in one go.
   *
   * @throws CorruptObjectError naming thread, checkpoint and key of what is missing or damaged; ObjectsUnavailableError
   */
  async decode<T>(
    stubs: Iterable<OpenedStub>,
    checkpoint: CheckpointPlace,
    work: (decoder: StubDecoder) => T,
  ): Promise<T> {
    const shelf = this.openShelf();
    const roots = reading(nameOf(checkpoint), () => [...stubs].flatMap(({ stored }) => hashesIn(stored)));
    const found = await this.fetch(shelf, roots, checkpoint);
    return reading(nameOf(checkpoint), () => {
      shelf.admit(found);
      for (const hash of found.keys()) this.uploads.noteStored(hash);
      return work(new StubDecoder(shelf));
    });
  }

  private async fetch(shelf: Shelf, roots: string[], checkpoint: CheckpointPlace): Promise<Map<string, Tree>> {
    const found = new Map<string, Tree>();
    let level = missing(roots, shelf, found);
    while (level.length > 0) {
      const trees = await Promise.all(level.map((hash) => this.fetches.run(() => this.piece(hash, checkpoint))));
      for (const [index, hash] of level.entries()) found.set(hash, trees[index] as Tree);
      const next = reading(nameOf(checkpoint), () => trees.flatMap(hashesIn));
      level = missing(next, shelf, found);
    }
    return found;
  }

  private async piece(hash: string, checkpoint: CheckpointPlace): Promise<Tree> {
    const found = await this.pieces.get(hash);
    if (typeof found === "string") throw lost(this.pieces.keyOf(hash), found, checkpoint);
    return reading(nameOf(checkpoint), () => JSON.parse(found.text) as Tree);
  }
}

function missing(hashes: Iterable<string>, shelf: Shelf, found: ReadonlyMap<string, Tree>): string[] {
  return [...new Set(hashes)].filter((hash) => !found.has(hash) && !shelf.has(hash));
}

/** Makes stubs of values. */
export class StubEncoder {
  constructor(
    private readonly shelf: Shelf,
    private readonly stubs: Stubs,
  ) {}

  /** @param key names the channel; what it held last is not encoded again */
  channel(value: unknown, place: ValuePlace, key: string): unknown {
    if (isPlain(value) && !this.stubs.areSealed) return value;
    return this.stub(value, `Channel "${place.channel}"`, place, { key });
  }

  write(value: unknown, place: ValuePlace, at: WritePlace): Stub {
    return this.stub(value, `The write to channel "${place.channel}"`, place, { at });
  }

  private stub(value: unknown, what: string, place: ValuePlace, { key, at }: { key?: string; at?: WritePlace }): Stub {
    const tree = this.shelf.luggage.store(value, what, INLINE_PACKED, key);
    const text = JSON.stringify(this.shelf.stored(tree));
    if (text.length <= INLINE_LENGTH) return this.stubs.make(text, place, at);
    const referred = this.shelf.stored(reference(this.shelf.luggage.intern(tree)));
    return this.stubs.make(JSON.stringify(referred), place, at);
  }
}

/** Makes values of stubs whose pieces are at hand. */
export class StubDecoder {
  constructor(private readonly shelf: Shelf) {}

  /** @param key names the channel of a value that a run is likely to go on from: it is then compared, not encoded */
  value({ stored }: OpenedStub, key?: string): unknown {
    const tree = this.shelf.tree(stored);
    const { luggage } = this.shelf;
    return key === undefined ? luggage.restore(tree) : luggage.restoreChannel(tree, key);
  }
}

/** Whether a stub stands for `undefined`. */
export function isUndefined({ stored }: OpenedStub): boolean {
  return typedOf(stored)?.[0] === KIND.undefined;
}

/** What every serializer keeps as it is, in fewer bytes than a stub has. */
function isPlain(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  return value === null || typeof value === "boolean";
}

function nameOf({ threadId, checkpointId }: CheckpointPlace): string {
  return `Checkpoint ${checkpointId} of thread "${threadId}"`;
}

function lost(key: string, what: "missing" | "corrupt", checkpoint: CheckpointPlace): CorruptObjectError {
  const { threadId, ns, checkpointId } = checkpoint;
  const state = what === "missing" ? "missing" : "damaged: its content does not match its hash";
  return new CorruptObjectError(
    `${nameOf(checkpoint)} cannot be read: the object ${key} in the object store is ${state}. No older state is handed ` +
      `out in its place. Restore the object store from a backup, or continue from another checkpoint of the thread.`,
    { details: { threadId, checkpointNs: ns, checkpointId, key, what } },
  );
}
