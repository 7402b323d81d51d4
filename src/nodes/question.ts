/** One `interrupt()` holds questions of one kind; where several wait, they are asked in this order. */
export const QUESTION_KINDS = ["approval", "unknown-effect", "latch", "wait"] as const;
export type QuestionKind = (typeof QUESTION_KINDS)[number];

export interface Question {
  readonly kind: QuestionKind;
  /** Stable through the re-runs of the task; unique to the operation that asks. */
  readonly place: string;
  readonly payload: Record<string, unknown>;
}

/** Turns the questions of one kind into one interrupt payload, and its answer into one answer for each. */
export interface Renderer {
  combine(questions: readonly Question[]): unknown;
  split(answer: unknown, questions: readonly Question[]): unknown[];
}

/** Where the operations of one attempt of a task ask. */
export interface Desk {
  /** Whether an operation of this attempt is still under way. */
  readonly isBusy: boolean;
  /** Runs one of our operations, so that questions of others wait until it has ended or asks as well. */
  track<T>(work: () => Promise<T>): Promise<T>;
  /** Waits for `work`, which another operation brings about: questions do not wait for this one meanwhile. */
  idle<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Spends the `interrupt()` calls that this place used on earlier passes, in order, and resolves with the answers it
   * got, `undefined` for one that was meant for something else. `current` is added to the payload where a question is
   * still open. Must be called before the operation goes on.
   */
  spend(place: string, current?: Record<string, unknown>): Promise<unknown[]>;
  /**
   * Writes the question down, synced to disk, then asks it: rejects with the GraphInterrupt. An answer that LangGraph
   * already holds for the slot was given before anybody saw the question: it counts for nothing, and the question is
   * asked again.
   */
  ask(question: Question): Promise<unknown>;
  /**
   * Interrupts without a slot: for code that will not pass here again. The run goes on when the thread is run without an
   * answer (`invoke(null)`). Questions that wait are asked first.
   */
  pause(question: Question): Promise<never>;
  /** How often this was called with `name` in this attempt before; numbers operations in the order they start. */
  ordinal(name: string): number;
}

/** A desk at which nothing can be asked any more. */
export function closedDesk(reason: Error): Desk {
  const refuse = () => Promise.reject(reason);
  return { isBusy: false, track: refuse, idle: refuse, spend: refuse, ask: refuse, pause: refuse, ordinal: () => 0 };
}
