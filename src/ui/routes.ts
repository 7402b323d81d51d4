/** What a path leads to. */
export interface Route {
  readonly name: "inbox" | "approval" | "list" | "one" | "decision";
  readonly methods: readonly ("GET" | "POST")[];
  /** Of the approval; empty where there is none. */
  readonly id: string;
  /** Whether refusals are JSON too. */
  readonly isApi: boolean;
}

/** `:id` stands for one part of the path. */
const ROUTES: readonly (readonly [pattern: string, name: Route["name"], methods: Route["methods"]])[] = [
  ["", "inbox", ["GET"]],
  ["approvals/:id", "approval", ["GET", "POST"]],
  ["api/approvals", "list", ["GET"]],
  ["api/approvals/:id", "one", ["GET"]],
  ["api/approvals/:id/decision", "decision", ["POST"]],
];

/** The route of a path, with the base path before it or without: some servers take away where a router is mounted. */
export function routeOf(path: string, base: string): Route | undefined {
  const isBelow = path === base || path.startsWith(`${base}/`);
  return (isBelow ? routeAt(path.slice(base.length)) : undefined) ?? routeAt(path);
}

function routeAt(path: string): Route | undefined {
  const parts = partsOf(path);
  for (const [pattern, name, methods] of ROUTES) {
    const id = match(partsOf(pattern), parts);
    if (id !== undefined) return { name, methods, id, isApi: pattern.startsWith("api/") };
  }
  return undefined;
}

function partsOf(path: string): string[] {
  return path.split("/").filter((part) => part !== "");
}

/** The id in the path, empty where the pattern has none; undefined when they do not match. */
function match(pattern: readonly string[], parts: readonly string[]): string | undefined {
  if (pattern.length !== parts.length) return undefined;
  const differs = pattern.some((part, index) => part !== ":id" && part !== parts[index]);
  if (differs) return undefined;
  const at = pattern.indexOf(":id");
  return at < 0 ? "" : decoded(parts[at] ?? "");
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
