import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export interface ChildResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** What the child sent with `process.send`, in order. */
  readonly messages: unknown[];
  readonly stderr: string;
}

/** A child process that runs a TypeScript file of the tests; it can be spoken to and killed. */
export class Child {
  readonly messages: unknown[] = [];
  private stderr = "";

  private constructor(readonly process: ChildProcess) {
    process.on("message", (message) => this.messages.push(message));
    process.stderr?.on("data", (text: Buffer) => (this.stderr += text.toString()));
  }

  /** @param file URL of the fixture; `parameters` reach it as JSON in `process.argv[2]`; `flags` are Node's. */
  static start(file: URL, parameters: unknown, flags: readonly string[] = []): Child {
    return new Child(
      fork(fileURLToPath(file), [JSON.stringify(parameters)], {
        execArgv: ["--import", "tsx", ...flags],
        stdio: ["ignore", "ignore", "pipe", "ipc"],
      }),
    );
  }

  /** Waits for the next message. */
  async message(): Promise<unknown> {
    const [message] = (await once(this.process, "message")) as [unknown];
    return message;
  }

  send(message: object): void {
    this.process.send(message);
  }

  async ended(): Promise<ChildResult> {
    const [code, signal] = (await once(this.process, "close")) as [number | null, NodeJS.Signals | null];
    return { code, signal, messages: this.messages, stderr: this.stderr };
  }
}

/** Runs a fixture to its end. */
export async function runChild(file: URL, parameters: unknown, flags?: readonly string[]): Promise<ChildResult> {
  return Child.start(file, parameters, flags).ended();
}
