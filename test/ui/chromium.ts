/** A real Chromium, spoken to over its own pipe: no driver, no port, no package. */
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { once } from "node:events";

const NAMES = ["chromium", "chromium-browser", "google-chrome"];

/** Where Chromium is installed; undefined where it is not. */
export function findChromium(): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find((file) => existsSync(file));
}

/** It reaches this machine alone, and asks nobody for updates. */
const FLAGS = [
  "--headless=new",
  "--no-sandbox",
  "--no-first-run",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
  "--remote-debugging-pipe",
];

interface Message {
  readonly id?: number;
  readonly sessionId?: string;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

type Listener = (message: Message) => void;

export class Chromium {
  private readonly listeners = new Set<Listener>();
  private readonly waiting = new Map<number, Listener>();
  private text = "";
  private count = 0;

  private constructor(
    private readonly process: ChildProcess,
    private readonly folder: string,
  ) {
    const output = process.stdio[4] as Readable;
    output.setEncoding("utf8").on("data", (chunk: string) => this.read(chunk));
  }

  static start(file: string): Chromium {
    const folder = mkdtempSync(join(tmpdir(), "waypoint-chromium-"));
    const stdio = ["ignore", "ignore", "ignore", "pipe", "pipe"] as const;
    return new Chromium(
      spawn(file, [...FLAGS, `--user-data-dir=${folder}`, "about:blank"], { stdio: [...stdio] }),
      folder,
    );
  }

  /** A new page. With `scripts: false` nothing in it may run one, as for somebody who has turned them off. */
  async page({ scripts = true }: { scripts?: boolean } = {}): Promise<Page> {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, sessionId as string);
    await page.send("Page.enable");
    await page.send("Runtime.enable");
    await page.send("Log.enable");
    await page.send("Emulation.setScriptExecutionDisabled", { value: !scripts });
    return page;
  }

  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  send(method: string, params: object = {}, sessionId?: string): Promise<Record<string, unknown>> {
    this.count += 1;
    const id = this.count;
    const input = this.process.stdio[3] as Writable;
    input.write(`${JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) })}\0`);
    return new Promise((resolve, reject) => {
      this.waiting.set(id, ({ result = {}, error }) => {
        if (error === undefined) resolve(result);
        else reject(new Error(`${method}: ${error.message}`));
      });
    });
  }

  async close(): Promise<void> {
    const ended = once(this.process, "close");
    await this.send("Browser.close");
    await ended;
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  private read(chunk: string): void {
    const parts = (this.text + chunk).split("\0");
    this.text = parts.pop() ?? "";
    for (const part of parts) this.take(JSON.parse(part) as Message);
  }

  private take(message: Message): void {
    if (message.id === undefined) for (const listener of this.listeners) listener(message);
    else this.waiting.get(message.id)?.(message);
  }
}

export class Page {
  /** What the browser itself complains about: refused styles, blocked scripts, pages that may not be framed. */
  readonly complaints: string[] = [];

  constructor(
    private readonly browser: Chromium,
    private readonly sessionId: string,
  ) {
    browser.listen(({ method, params, sessionId: of }) => {
      if (of === sessionId && method === "Log.entryAdded")
        this.complaints.push((params?.entry as { text: string }).text);
    });
  }

  send(method: string, params: object = {}): Promise<Record<string, unknown>> {
    return this.browser.send(method, params, this.sessionId);
  }

  async open(url: string): Promise<void> {
    await this.loading(() => this.send("Page.navigate", { url }));
  }

  /** Clicks as a person does: at the middle of what the selector finds. */
  async click(selector: string): Promise<void> {
    const [x, y] = await this.read<[number, number]>(
      `(() => { const it = document.querySelector(${JSON.stringify(selector)}); it.scrollIntoView();
        const { x, y, width, height } = it.getBoundingClientRect(); return [x + width / 2, y + height / 2]; })()`,
    );
    const at = { x, y, button: "left", clickCount: 1 };
    await this.loading(async () => {
      await this.send("Input.dispatchMouseEvent", { type: "mousePressed", ...at });
      await this.send("Input.dispatchMouseEvent", { type: "mouseReleased", ...at });
    });
  }

  /** Puts a text in a field, in place of what is there. */
  async fill(selector: string, text: string): Promise<void> {
    await this.read(
      `(() => { const it = document.querySelector(${JSON.stringify(selector)}); it.focus(); it.select(); })()`,
    );
    await this.send("Input.insertText", { text });
  }

  /** What an expression is in the page. The browser's own tools may look even where scripts are turned off. */
  async read<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, returnByValue: true });
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
    return (result as { value: T }).value;
  }

  async loading(work: () => Promise<unknown>): Promise<void> {
    let stop = () => {};
    const loaded = new Promise<void>((resolve) => {
      stop = this.browser.listen(({ method, sessionId }) => {
        if (sessionId === this.sessionId && method === "Page.loadEventFired") resolve();
      });
    });
    await work();
    await loaded;
    stop();
  }

  async picture(): Promise<Buffer> {
    const { data } = await this.send("Page.captureScreenshot", { captureBeyondViewport: true });
    return Buffer.from(data as string, "base64");
  }
}
