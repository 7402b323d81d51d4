import { canonicalize, hashOf } from "../shared/canonical.js";

/** Arguments as they were shown, in a form that a hash can hold on to. */
export interface FrozenArgs {
  /** Canonical JSON. */
  readonly text: string;
  readonly hash: string;
}

/** @throws UncanonicalValueError for arguments that are not plain JSON */
export function freezeArgs(args: unknown): FrozenArgs {
  const text = canonicalize(args, "args");
  return { text, hash: hashOf(text) };
}

/** What a question shows, frozen. @throws UncanonicalValueError */
export function freezeAction(
  action: string,
  args: unknown,
  summary: string | undefined,
): { args: string; argsHash: string; actionHash: string } {
  const { text, hash } = freezeArgs(args);
  return { args: text, argsHash: hash, actionHash: actionHash(action, text, summary) };
}

/** Over action, canonical arguments and summary, in this order: what runs comes before what a model says about it. */
export function actionHash(action: string, canonicalArgs: string, summary: string | undefined): string {
  return hashOf(`[${canonicalize(action, "action")},${canonicalArgs},${canonicalize(summary ?? null, "summary")}]`);
}
