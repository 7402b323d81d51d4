const MAX_DEPTH = 40;
const JSON_START = /^\s*[[{]/;

/**
 * One text for arguments that mean the same, whatever they are; it never throws.
 *
 * - The order of keys does not matter, at any depth; the order of an array does.
 * - A string that holds a JSON object or array is read as one, so spacing outside of strings does not matter.
 * - `undefined` and absent are the same, and so are −0 and 0.
 * - Fields named in `ignored` are left out, at any depth.
 *
 * @param args what the model sent, parsed or as text
 * @param ignored names of fields that say nothing about what is done, such as `request_id`
 */
export function canonicalArgs(args: unknown, ignored: ReadonlySet<string>): string {
  try {
    return textOf(args, ignored, new Set());
  } catch {
    // A getter or a proxy that throws: there is nothing to compare.
    return "?";
  }
}

function textOf(value: unknown, ignored: ReadonlySet<string>, above: Set<object>): string {
  switch (typeof value) {
    case "string":
      return textOfString(value, ignored, above);
    case "number":
      return Object.is(value, -0) ? "0" : String(value);
    case "boolean":
      return String(value);
    case "bigint":
      return `${value}n`;
    case "object":
      return value === null ? "null" : textOfObject(value, ignored, above);
    case "undefined":
    case "function":
    case "symbol":
      return "null";
  }
}

function textOfString(value: string, ignored: ReadonlySet<string>, above: Set<object>): string {
  if (!JSON_START.test(value)) return JSON.stringify(value);
  const parsed = parsedJson(value);
  return parsed === undefined ? JSON.stringify(value) : textOf(parsed, ignored, above);
}

/** What a JSON text holds, if it is one; JSON itself has no `undefined`. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function textOfObject(value: object, ignored: ReadonlySet<string>, above: Set<object>): string {
  if (above.has(value) || above.size >= MAX_DEPTH) return '"…"';
  above.add(value);
  const text = Array.isArray(value)
    ? `[${value.map((item) => textOf(item, ignored, above)).join(",")}]`
    : recordText(value, ignored, above);
  above.delete(value);
  return text;
}

function recordText(value: object, ignored: ReadonlySet<string>, above: Set<object>): string {
  if (value instanceof Date) return JSON.stringify(Number.isNaN(value.getTime()) ? null : value.toISOString());
  if (value instanceof Map || value instanceof Set) return textOf([...value], ignored, above);
  const record = value as Record<string, unknown>;
  const parts: string[] = [];
  for (const key of Object.keys(record).sort()) {
    const item = record[key];
    if (item === undefined || ignored.has(key)) continue;
    parts.push(`${JSON.stringify(key)}:${textOf(item, ignored, above)}`);
  }
  return `{${parts.join(",")}}`;
}
