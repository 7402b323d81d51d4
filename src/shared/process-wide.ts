/**
 * A value that the whole process shares, also with another copy of the package (ESM beside CJS).
 *
 * @example const registry = processWide("effects", () => new Map<string, Registered>());
 */
export function processWide<T>(name: string, make: () => T): T {
  const holder = globalThis as unknown as Record<symbol, T | undefined>;
  const value = (holder[Symbol.for(`langgraph-waypoint.${name}`)] ??= make());
  return value;
}
