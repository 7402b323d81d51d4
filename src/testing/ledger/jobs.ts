/** What this process and a child process of the contract say to each other. Everything in it is JSON. */

/** Carries effects out, one after the other, against a downstream whose books are a file. */
export interface Job {
  readonly effect: string;
  readonly keys: readonly string[];
  readonly bank: string;
  readonly lookup: boolean;
  /** Where the process is killed, at the first call. */
  readonly dieAt?: "before call" | "after call";
}

export type Report =
  | { readonly event: "ready" }
  | { readonly event: "done"; readonly receipts: readonly unknown[] }
  | { readonly event: "failed"; readonly message: string };
