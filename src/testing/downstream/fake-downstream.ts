import { absent, failed, succeeded, unknown, type Outcome } from "../../nodes/outcome.js";
import { systemClock, toMilliseconds, type Clock, type Duration } from "../../shared/clock.js";
import { draw } from "../draw.js";
import { rateOf, seedOf } from "../rates.js";
import { fileBook, memoryBook, type Book, type RawCall, type RawLookup } from "./book.js";

export interface DownstreamOptions {
  /** The same seed makes the same calls go wrong: drawn by key and by how often the key came before. */
  readonly seed: number;
  /** The share of calls that are refused, as a card is: nothing happens, and the caller is told. Default 0. */
  readonly refused?: number;
  /** The share of calls that take effect and whose answer is lost on the way (`ECONNRESET`). Default 0. */
  readonly lost?: number;
  /** The share of lookups that find out nothing. Default 0. */
  readonly unanswered?: number;
  /** How long a call takes, half of it before it takes effect; two lengths mean a draw between them. Default: no time. */
  readonly delay?: Duration | readonly [Duration, Duration];
  /** Recognises a key that it has seen, and does nothing the second time. Default false: it does what it is told. */
  readonly deduplicate?: boolean;
  /** Keeps the books in this file, for several processes, and for processes that are killed. */
  readonly file?: string;
  /** What delays are measured by; the real clock by default. */
  readonly clock?: Clock;
}

/** What a call brings back. */
export interface Receipt {
  readonly key: string;
  readonly value: unknown;
  /** Number among the calls that took effect, from 1. */
  readonly number: number;
}

/** A provider as tests need one: it counts what reaches it. */
export interface Downstream {
  /** One request. It is counted whatever becomes of it. @throws Error: a refusal (`status: 402`), or a lost answer (`ECONNRESET`) */
  call(key: string, value?: unknown): Promise<Receipt>;
  /** What became of the calls under a key; for the `lookup` of an effect. */
  lookup(key: string): Promise<Outcome<Receipt>>;
  /** Every request, in the order of arrival. */
  readonly calls: readonly RawCall[];
  /** Every lookup, in the order of arrival. */
  readonly lookups: readonly RawLookup[];
  /** How often a key took effect. */
  times(key: string): number;
  /** Keys that took effect more than once: what must never be. */
  readonly duplicates: readonly string[];
}

/**
 * An outside world for tests. It counts raw calls and does **not** de-duplicate unless it is told to, so that a test
 * proves the code under test and not its own fake. It refuses, delays and loses answers at given rates.
 *
 * @param options `seed`, and the rates; see DownstreamOptions
 * @throws InvalidInputError for a rate that is no share, or a seed that is no number
 * @example
 * const bank = fakeDownstream({ seed: 7, unanswered: 0.04 });
 * const pay = effect({
 *   name: "pay",
 *   key: ({ order }: { order: string }) => order,
 *   run: (args, { key }) => bank.call(key, args),
 *   lookup: (_args, { key }) => bank.lookup(key),
 * });
 */
export function fakeDownstream(options: DownstreamOptions): Downstream {
  return new Fake(options);
}

class Fake implements Downstream {
  private readonly book: Book;
  private readonly seed: number;
  private readonly rates: { readonly refused: number; readonly lost: number; readonly unanswered: number };
  private readonly delay: readonly [number, number];
  private readonly deduplicate: boolean;
  private readonly clock: Clock;

  constructor({ seed, file, delay = 0, deduplicate = false, clock = systemClock, ...rates }: DownstreamOptions) {
    this.seed = seedOf(seed);
    const { refused = 0, lost = 0, unanswered = 0 } = rates;
    this.rates = {
      refused: rateOf("refused", refused),
      lost: rateOf("lost", lost),
      unanswered: rateOf("unanswered", unanswered),
    };
    const [least, most] = typeof delay === "object" ? delay : [delay, delay];
    this.delay = [toMilliseconds(least, "delay"), toMilliseconds(most, "delay")];
    this.deduplicate = deduplicate;
    this.clock = clock;
    this.book = file === undefined ? memoryBook() : fileBook(file);
  }

  get calls(): readonly RawCall[] {
    return this.book.calls;
  }

  get lookups(): readonly RawLookup[] {
    return this.book.lookups;
  }

  get duplicates(): readonly string[] {
    const done = this.done().map(({ key }) => key);
    return [...new Set(done.filter((key, index) => done.indexOf(key) !== index))];
  }

  times(key: string): number {
    return this.done().filter((call) => call.key === key).length;
  }

  async call(key: string, value?: unknown): Promise<Receipt> {
    const nth = this.calls.filter((call) => call.key === key).length;
    const half = this.delayOf(key, nth) / 2;
    if (half > 0) await this.clock.sleep(half);
    const happens = (rate: number, what: string): boolean => draw(this.seed, what, key, nth) < rate;
    const refused = happens(this.rates.refused, "refused");
    const lost = !refused && happens(this.rates.lost, "lost");
    const known = this.deduplicate && this.times(key) > 0;
    this.book.enter({
      call: { key, value, outcome: refused ? "refused" : known ? "repeated" : "done", answered: !lost },
    });
    const receipt = this.receipt(key, known ? "first" : "last");
    if (half > 0) await this.clock.sleep(half);
    if (lost) throw Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });
    if (refused || receipt === undefined) throw refusal(key);
    return receipt;
  }

  lookup(key: string): Promise<Outcome<Receipt>> {
    const nth = this.lookups.filter((lookup) => lookup.key === key).length;
    const answered = draw(this.seed, "unanswered", key, nth) >= this.rates.unanswered;
    this.book.enter({ lookup: { key, answered } });
    return Promise.resolve(answered ? this.truth(key) : unknown("the lookup was not answered"));
  }

  private truth(key: string): Outcome<Receipt> {
    const receipt = this.receipt(key, "first");
    if (receipt !== undefined) return succeeded(receipt);
    return this.calls.some((call) => call.key === key) ? failed(refusal(key)) : absent();
  }

  private receipt(key: string, which: "first" | "last"): Receipt | undefined {
    const numbered = this.done().map((call, index) => ({ key: call.key, value: call.value, number: index + 1 }));
    const mine = numbered.filter((receipt) => receipt.key === key);
    return mine.at(which === "first" ? 0 : -1);
  }

  private done(): RawCall[] {
    return this.calls.filter(({ outcome }) => outcome === "done");
  }

  private delayOf(key: string, nth: number): number {
    const [least, most] = this.delay;
    return least + (most - least) * draw(this.seed, "delay", key, nth);
  }
}

function refusal(key: string): Error {
  return Object.assign(new Error(`"${key}" was refused`), { status: 402 });
}
