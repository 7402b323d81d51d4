import { createHash } from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { ambientConfig } from "../../shared/langgraph.js";
import { placeOfCall } from "./call-place.js";
import type { OutsideCall, Recording } from "./recording.js";

type Callable = (this: unknown, ...given: unknown[]) => unknown;
type Described = Pick<OutsideCall, "kind" | "call" | "changes">;

const FILES_READ = /^(?:read|stat|lstat|exists|access|realpath|opendir|open$|openSync$|fstat|createReadStream|watch)/;
const FILES_WATCHED =
  /^(?:read(?:File|dir)|writeFile|appendFile|copyFile|cp|rename|rm|rmdir|unlink|truncate|symlink|link|createWriteStream|exists|stat)(?:Sync)?$/;
const PROCESSES = ["spawn", "spawnSync", "exec", "execSync", "execFile", "execFileSync", "fork"] as const;
const RANDOM = ["randomUUID", "randomBytes", "randomInt", "getRandomValues"] as const;

/** Puts a recorder in front of what leads outside. What it gives back takes it away again. */
export function watchOutside(recording: Recording): () => void {
  const watch = new Watch(recording);
  watch.function(globalThis, "fetch", describeFetch);
  watch.date();
  watch.function(Math, "random", () => ({ kind: "random", call: "Math.random()", changes: false }));
  watch.function(performance, "now", () => ({ kind: "clock", call: "performance.now()", changes: false }));
  watchRandom(watch, globalThis.crypto as unknown as Record<string, unknown>);
  watchRandom(watch, builtIn("node:crypto"));
  for (const name of ["node:http", "node:https"] as const) {
    const http = builtIn(name);
    for (const method of ["request", "get"]) watch.function(http, method, (given) => describeHttp(name, method, given));
  }
  const fs = builtIn("node:fs");
  watchFiles(watch, fs);
  watchFiles(watch, fs.promises as Record<string, unknown>);
  const processes = builtIn("node:child_process");
  for (const name of PROCESSES)
    watch.function(processes, name, ([command]) => ({
      kind: "process",
      call: `${name}(${short(command)})`,
      changes: true,
    }));
  syncBuiltinESMExports();
  return () => {
    watch.restore();
    syncBuiltinESMExports();
  };
}

/** The module itself, whose functions can be put others in front of; an import of it cannot. */
function builtIn(name: string): Record<string, unknown> {
  return process.getBuiltinModule(name) as unknown as Record<string, unknown>;
}

function watchFiles(watch: Watch, fs: Record<string, unknown>): void {
  for (const name of Object.keys(fs).filter((each) => FILES_WATCHED.test(each))) {
    const changes = !FILES_READ.test(name);
    watch.function(fs, name, ([path]) => ({ kind: "fs", call: `fs.${name}(${short(path)})`, changes }));
  }
}

function watchRandom(watch: Watch, crypto: Record<string, unknown>): void {
  for (const name of RANDOM)
    watch.function(crypto, name, () => ({ kind: "random", call: `crypto.${name}()`, changes: false }));
}

class Watch {
  readonly #restore: (() => void)[] = [];
  #inside = false;

  constructor(private readonly recording: Recording) {}

  function(holder: object, name: string, describe: (given: readonly unknown[]) => Described): void {
    const own = holder as Record<string, unknown>;
    const before = Object.getOwnPropertyDescriptor(own, name);
    const original = own[name];
    if (typeof original !== "function" || before?.configurable === false) return;
    const record = (given: readonly unknown[], call: () => unknown): unknown => this.#record(describe, given, call);
    const watched = function (this: unknown, ...given: unknown[]): unknown {
      return record(given, () => (original as Callable).apply(this, given));
    };
    Object.defineProperty(own, name, {
      value: Object.assign(watched, original),
      configurable: true,
      writable: true,
      enumerable: before?.enumerable ?? true,
    });
    this.#restore.push(() => {
      if (before === undefined) Reflect.deleteProperty(own, name);
      else Object.defineProperty(own, name, before);
    });
  }

  /** `new Date()` and `Date.now()`; a date of something else is no clock. */
  date(): void {
    const original = globalThis.Date;
    const isNow = (given: readonly unknown[], made: string): Described => ({
      kind: "clock",
      call: made,
      changes: false,
    });
    const record = (made: string, call: () => unknown): unknown =>
      this.#record((given) => isNow(given, made), [], call);
    globalThis.Date = new Proxy(original, {
      construct: (target, given, maker) =>
        (given.length > 0
          ? Reflect.construct(target, given, maker)
          : record("new Date()", () => Reflect.construct(target, given, maker) as unknown)) as object,
      apply: (target) => record("Date()", () => target()),
      get: (target, name, self): unknown =>
        name === "now" ? () => record("Date.now()", () => target.now()) : Reflect.get(target, name, self),
    });
    this.#restore.push(() => {
      globalThis.Date = original;
    });
  }

  restore(): void {
    for (const undo of this.#restore.reverse()) undo();
  }

  #record(describe: (given: readonly unknown[]) => Described, given: readonly unknown[], call: () => unknown): unknown {
    // What one watched function does inside of another is part of it.
    if (this.#inside) return call();
    const caller = this.#callerOf();
    this.#inside = true;
    try {
      const result = call();
      if (caller !== undefined) this.#keep({ ...describe(given), ...caller }, result);
      return result;
    } finally {
      this.#inside = false;
    }
  }

  /** The node that calls, and where; nothing outside of nodes, and for calls that LangGraph makes for itself. */
  #callerOf(): Pick<OutsideCall, "at" | "node" | "visit"> | undefined {
    this.#inside = true;
    try {
      const visit: unknown = ambientConfig()?.configurable?.checkpoint_ns;
      if (typeof visit !== "string" || visit === "") return undefined;
      const limit = Error.stackTraceLimit;
      Error.stackTraceLimit = 40;
      const at = placeOfCall(new Error("a call").stack ?? "");
      Error.stackTraceLimit = limit;
      if (at === undefined) return undefined;
      return { at, node: nodeOf(visit), visit };
    } finally {
      this.#inside = false;
    }
  }

  #keep(call: Omit<OutsideCall, "pass" | "result">, result: unknown): void {
    const { calls, pass } = this.recording;
    const index = calls.push({ ...call, pass, result: digest(result) }) - 1;
    if (call.changes || !(result instanceof Promise)) return;
    void result.then(
      async (value: unknown) => {
        const known = calls[index];
        const text =
          value instanceof Response
            ? await value
                .clone()
                .text()
                .catch(() => undefined)
            : value;
        if (known !== undefined) calls[index] = { ...known, result: digest(text) };
      },
      () => undefined,
    );
  }
}

/** `approve:4c1f…|inner:77aa…` is the node `inner`. */
function nodeOf(checkpointNs: string): string {
  return checkpointNs.split("|").at(-1)?.split(":")[0] ?? "";
}

function describeFetch([input, options]: readonly unknown[]): Described {
  const request = input instanceof Request ? input : undefined;
  const method = ((options as RequestInit | undefined)?.method ?? request?.method ?? "GET").toUpperCase();
  const url = request?.url ?? String(input);
  return { kind: "fetch", call: `${method} ${withoutQuery(url)}`, changes: isChange(method) };
}

function describeHttp(module: string, name: string, given: readonly unknown[]): Described {
  const [first] = given;
  const options = given.find(
    (each): each is { method?: string; hostname?: string; host?: string; path?: string } =>
      typeof each === "object" && each !== null && !(each instanceof URL),
  );
  const method = (name === "get" ? "GET" : (options?.method ?? "GET")).toUpperCase();
  const scheme = module.slice("node:".length);
  const built = `${scheme}://${options?.hostname ?? options?.host ?? "localhost"}${options?.path ?? "/"}`;
  const url = typeof first === "string" || first instanceof URL ? String(first) : built;
  return { kind: "http", call: `${method} ${withoutQuery(url)}`, changes: isChange(method) };
}

function isChange(method: string): boolean {
  return method !== "GET" && method !== "HEAD" && method !== "OPTIONS";
}

/** Queries hold keys and names. */
function withoutQuery(url: string): string {
  if (!URL.canParse(url)) return url.split("?")[0] ?? url;
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

function short(value: unknown): string {
  const text = value instanceof URL ? value.pathname : typeof value === "string" ? value : typeof value;
  return text.length > 60 ? `…${text.slice(-59)}` : text;
}

/** What can be compared: text, numbers, bytes, dates, and lists of them. A stream or a handle says nothing. */
function digest(value: unknown): string | undefined {
  const text = comparable(value);
  return text === undefined ? undefined : createHash("sha256").update(text).digest("base64url");
}

function comparable(value: unknown): string | undefined {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map((each: unknown) => comparable(each) ?? "").join("\n");
  switch (typeof value) {
    case "string":
      return value;
    case "number":
    case "boolean":
    case "bigint":
      return value.toString();
    default:
      return undefined;
  }
}
