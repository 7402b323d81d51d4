import type { Gate } from "./gate.js";
import type { PieceStore } from "./piece-store.js";
import type { NewPiece } from "./shelf.js";

/** Hashes of pieces that are known to be stored. */
const KNOWN_KEPT = 200_000;

/** One piece on its way to the object store. Several checkpoints may wait for it. */
class Upload {
  private attempt: Promise<void> | undefined;

  constructor(private readonly send: () => Promise<void>) {}

  /** Resolves when the piece is stored. What failed is tried again by the next that needs it. */
  done(): Promise<void> {
    this.attempt ??= this.send().catch((error: unknown) => {
      this.attempt = undefined;
      throw error;
    });
    return this.attempt;
  }
}

/** The pieces that are made and not stored yet. */
export class Uploads {
  private readonly stored = new Set<string>();
  private pending = new Map<string, Upload>();

  constructor(
    private readonly pieces: PieceStore,
    private readonly gate: Gate,
  ) {}

  add({ hash, text }: NewPiece): void {
    if (this.stored.has(hash) || this.pending.has(hash)) return;
    const send = async (): Promise<void> => {
      await this.gate.run(() => this.pieces.put(hash, text));
      this.noteStored(hash);
      this.pending.delete(hash);
    };
    this.pending.set(hash, new Upload(send));
  }

  /** Resolves when all that was added up to now is stored. @throws ObjectsUnavailableError */
  async settled(): Promise<void> {
    await Promise.all([...this.pending.values()].map((upload) => upload.done()));
  }

  /** Lets go of what is not stored yet; who waits for it already goes on waiting. */
  abandon(): void {
    this.pending = new Map();
  }

  noteStored(hash: string): void {
    if (this.stored.size >= KNOWN_KEPT) this.stored.clear();
    this.stored.add(hash);
  }
}
