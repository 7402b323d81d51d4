import type { CheckpointTable, Namespace } from "../store/sqlite/checkpoints.js";
import type { ObjectTable } from "../store/sqlite/objects.js";

/** How much text of a thread its dictionary is made of, in bytes; zlib looks back 32 KB. */
const SAMPLE_BYTES = 30000;
/** Threads whose samples are kept in memory. */
const THREADS_KEPT = 256;
/** What is shorter helps nobody. */
const SAMPLE_FROM = 64;

interface Sample {
  readonly texts: Map<number, string>;
  length: number;
}

/**
 * A dictionary for each thread that has grown: what was said in it comes again, in part, and costs little then. It is
 * made once, of the first texts of the thread, and is an object of its own that goes with the thread.
 */
export class ThreadDictionaries {
  private readonly samples = new Map<number, Sample>();
  /** Whose texts are stored or read at this moment. */
  private thread: Namespace | undefined;

  constructor(
    private readonly objects: ObjectTable,
    private readonly table: CheckpointTable,
    /** No: lengths would tell what a sealed text has in common with others. */
    private readonly isAllowed: boolean,
  ) {}

  /** Runs what stores or reads texts of one thread, and nothing of another. */
  within<T>(namespace: Namespace, work: () => T): T {
    if (!this.isAllowed) return work();
    const { dictionary } = namespace;
    this.thread = namespace;
    this.objects.dictionary = dictionary === null ? undefined : this.objects.dictionaryOf(dictionary);
    try {
      return work();
    } finally {
      this.thread = undefined;
      this.objects.dictionary = undefined;
    }
  }

  /** A text of the thread, as it is stored or read. */
  notice(id: number, text: string): void {
    if (this.thread?.dictionary !== null || text.length < SAMPLE_FROM) return;
    const sample = this.sampleOf(this.thread.threadRow);
    if (sample.texts.has(id) || sample.length >= SAMPLE_BYTES) return;
    sample.texts.set(id, text);
    sample.length += text.length;
  }

  /** Makes the dictionary of a thread that has none and has grown enough. */
  settle({ threadRow, dictionary }: Namespace): void {
    if (dictionary !== null) return;
    const sample = this.samples.get(threadRow);
    if (sample === undefined || sample.length < SAMPLE_BYTES) return;
    this.samples.delete(threadRow);
    const text = [...sample.texts.values()].join("").slice(-SAMPLE_BYTES);
    this.table.setDictionary(threadRow, this.objects.insert(text, this.objects.fingerprint(text)));
  }

  forget(): void {
    this.samples.clear();
    this.objects.forget();
  }

  private sampleOf(threadRow: number): Sample {
    const known = this.samples.get(threadRow);
    if (known !== undefined) return known;
    for (const oldest of this.samples.keys()) {
      if (this.samples.size < THREADS_KEPT) break;
      this.samples.delete(oldest);
    }
    const sample = { texts: new Map<number, string>(), length: 0 };
    this.samples.set(threadRow, sample);
    return sample;
  }
}
