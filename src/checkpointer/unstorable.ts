import { UnstorableValueError } from "./errors.js";

/** Thrown where a value cannot be stored, with the reason; `unstorableValue` finds out where that was. */
export class Unstorable extends Error {}

/** The error for a value whose encoding failed with `error`. `what` names the value. */
export function unstorableValue(error: unknown, value: unknown, what: string): UnstorableValueError {
  const found = placeOfUnstorable(value);
  const place = `${what}${found?.path ?? ""}`;
  return new UnstorableValueError(
    `${place} cannot be stored: ${found?.reason ?? reasonOf(error)}. Nothing of it was written, and nothing else was lost. ` +
      `Keep such values outside the state, or store what is needed to make them anew.`,
    { cause: error, details: { path: place } },
  );
}

function reasonOf(error: unknown): string {
  if (error instanceof Unstorable) return error.message;
  if (error instanceof RangeError && error.message.includes("call stack")) return "it is nested too deeply";
  return failedReading(error);
}

function failedReading(error: unknown): string {
  return `reading it failed with "${error instanceof Error ? error.message : String(error)}"`;
}

interface Place {
  readonly value: unknown;
  readonly path: string;
  /** Whether a function here would leave a hole. */
  readonly element: boolean;
  readonly leave?: object;
}

/** The first place found in a value that cannot be stored. Slow and exact; runs only after storing has failed. */
function placeOfUnstorable(root: unknown): { path: string; reason: string } | undefined {
  const ancestors = new Set<object>();
  const searched = new WeakSet();
  const pending: Place[] = [{ value: root, path: "", element: true }];
  for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
    if (place.leave !== undefined) {
      ancestors.delete(place.leave);
      continue;
    }
    const { value, path, element } = place;
    if (element && (typeof value === "function" || typeof value === "symbol")) {
      return { path, reason: `it is a ${typeof value}` };
    }
    if (typeof value !== "object" || value === null) continue;
    if (ancestors.has(value)) return { path, reason: "it contains itself (a cycle)" };
    if (searched.has(value)) continue;
    searched.add(value);
    ancestors.add(value);
    pending.push({ value: undefined, path, element: false, leave: value });
    const unreadable = pushChildren(value, path, pending);
    if (unreadable !== undefined) return unreadable;
  }
  return undefined;
}

/** Adds what a value holds to `pending`; returns the place of a child that cannot even be read. */
function pushChildren(value: object, path: string, pending: Place[]): { path: string; reason: string } | undefined {
  let at = path;
  try {
    if (value instanceof Map || value instanceof Set) {
      let index = 0;
      for (const member of value as Iterable<unknown>)
        pending.push({ value: member, path: `${path}<${index++}>`, element: true });
      return undefined;
    }
    const element = Array.isArray(value);
    for (const key of Object.keys(value)) {
      at = element ? `${path}[${key}]` : `${path}.${key}`;
      pending.push({ value: (value as Record<string, unknown>)[key], path: at, element });
    }
    return undefined;
  } catch (error) {
    return { path: at, reason: failedReading(error) };
  }
}
