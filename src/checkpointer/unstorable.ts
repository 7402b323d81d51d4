/** Finds the first place in a value that cannot be stored. Slow and exact; runs only after storing has failed. */
export function pathOfUnstorable(root: unknown): { path: string; reason: string } | undefined {
  const ancestors = new Set<object>();
  const pending: { value: unknown; path: string; leave?: object; element: boolean }[] = [
    { value: root, path: "", element: true },
  ];
  while (pending.length > 0) {
    const item = pending.pop();
    if (item === undefined) break;
    if (item.leave !== undefined) {
      ancestors.delete(item.leave);
      continue;
    }
    const { value, path } = item;
    if (item.element && (typeof value === "function" || typeof value === "symbol")) {
      return { path, reason: `it is a ${typeof value}` };
    }
    if (typeof value !== "object" || value === null) continue;
    if (ancestors.has(value)) return { path, reason: "it contains itself (a cycle)" };
    ancestors.add(value);
    pending.push({ value: undefined, path, leave: value, element: false }, ...children(value, path));
  }
  return undefined;
}

function children(value: object, path: string): { value: unknown; path: string; element: boolean }[] {
  if (value instanceof Map || value instanceof Set) {
    return [...(value as Iterable<unknown>)].map((member, index) => ({
      value: member,
      path: `${path}<${index}>`,
      element: true,
    }));
  }
  const element = Array.isArray(value);
  return Object.entries(value).map(([key, child]) => ({
    value: child as unknown,
    path: element ? `${path}[${key}]` : `${path}.${key}`,
    element,
  }));
}
