import type { ValuePlace } from "./stub.js";
import { isStub } from "./stub.js";
import type { CheckpointPlace, OpenedStub, SlimValues, StubDecoder } from "./values.js";

/** A value in the place of a stub; any other value as it is. `key` names a channel that a run is likely to go on from. */
export type Restore = (value: unknown, key?: string) => unknown;

/** What is read of a checkpoint before its pieces are fetched. */
export class Opened {
  private readonly stubs = new Map<object, OpenedStub>();

  constructor(
    private readonly values: SlimValues,
    private readonly accept: (place: ValuePlace) => void,
    readonly checkpoint: CheckpointPlace,
  ) {}

  /** @returns what was opened; undefined for a value that is no stub */
  add(value: unknown, channel: string): OpenedStub | undefined {
    const place = { threadId: this.checkpoint.threadId, channel };
    if (!isStub(value)) {
      this.accept(place);
      return undefined;
    }
    const opened = this.values.open(value, place, this.checkpoint);
    this.stubs.set(value, opened);
    return opened;
  }

  decode<T>(work: (restore: Restore) => T): Promise<T> {
    return this.values.decode(this.stubs.values(), this.checkpoint, (decoder) =>
      work((value, key) => this.restored(decoder, value, key)),
    );
  }

  private restored(decoder: StubDecoder, value: unknown, key: string | undefined): unknown {
    const opened = typeof value === "object" && value !== null ? this.stubs.get(value) : undefined;
    return opened === undefined ? value : decoder.value(opened, key);
  }
}
