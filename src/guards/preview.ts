const SECRET =
  /\b(?:sk|pk|rk|ghp|gho|xox[abp]|AKIA)[-_]?[A-Za-z0-9_-]{12,}|\bBearer\s+\S+|\beyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]+)?/g;
const LABELLED_SECRET = /((?:password|passwd|secret|token|api[_-]?key|authorization)["']?\s*[:=]\s*["']?)[^\s"',;]+/gi;
const SECRET_NAME = /pass(?:word|wd)|secret|token|api[_-]?key|authorization|credential|cookie/i;
// Control, format and separator characters, lone surrogates: nothing that could steer a reader.
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\s]+/gu;

const NOT_PLAIN = /[^\x20-\x7e]/;

/** A short, single-line quote of a text, without secrets that look like ones, cut to so many bytes of UTF-8. */
export function preview(text: string, maxBytes = 160): string {
  const raw = text.slice(0, maxBytes * 2);
  const start = (NOT_PLAIN.test(raw) ? raw.replace(UNSAFE, " ") : raw).trim();
  const safe = start.replace(SECRET, "…").replace(LABELLED_SECRET, "$1…");
  return cut(safe, maxBytes);
}

/** Arguments for people and models to recognise a call by: short values, and none of fields that hold secrets. */
export function argsPreview(args: unknown, maxBytes = 160): string {
  try {
    const text = typeof args === "string" ? args : JSON.stringify(args ?? {}, shortened);
    return preview(text, maxBytes);
  } catch {
    return "…";
  }
}

function shortened(name: string, value: unknown): unknown {
  if (SECRET_NAME.test(name)) return "…";
  if (typeof value === "bigint") return String(value);
  return typeof value === "string" && value.length > 60 ? `${value.slice(0, 57)}…` : value;
}

/** A text that is no longer than so many bytes in JSON. */
export function cut(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text;
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes +=
      code < 0x80 ? (character === '"' || character === "\\" ? 2 : 1) : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (bytes > maxBytes - 3) return `${text.slice(0, end)}…`;
    end += character.length;
  }
  return text;
}
