import type { ExternalValue } from "./value.js";

const LONGEST_PATH = 8;

export function external(module: string, path: readonly string[]): ExternalValue {
  return { kind: "external", module: module.replace(/^node:/, ""), path };
}

const CONTAINERS = new Set(["Map", "WeakMap", "Object", "Array", "Set"]);
const TAKES_OUT = /^(?:get|values|entries|fromEntries|from|at|find|findLast|pop|shift|assign)\(\)$/;

/** Whether a value was taken out of a map or a list of the language: what it is then, the language does not say. */
export function isTakenOut({ module, path }: ExternalValue): boolean {
  return module === "" && CONTAINERS.has(path[0] ?? "") && path.slice(0, -1).some((step) => TAKES_OUT.test(step));
}

/** One more name on the path; very long paths lose their middle. */
export function extended(value: ExternalValue, name: string, origin?: ExternalValue["origin"]): ExternalValue {
  const path = [...value.path, name];
  if (path.length > LONGEST_PATH) path.splice(2, path.length - LONGEST_PATH);
  const first = value.origin ?? origin;
  return { ...value, path, ...(first === undefined ? {} : { origin: first }) };
}

export function called(value: ExternalValue, origin: NonNullable<ExternalValue["origin"]>): ExternalValue {
  const path = [...value.path];
  path.push(`${path.pop() ?? ""}()`);
  return { ...value, path, origin: value.origin ?? origin };
}
