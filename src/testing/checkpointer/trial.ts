import { randomUUID } from "node:crypto";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { holds } from "../claims.js";
import { Child } from "./child-process.js";
import type { CheckpointerInitializer } from "./initializer.js";

/** What one check works with: a checkpointer on storage of its own, and what else the initializer can open. */
export class Trial {
  private readonly key = randomUUID();
  private readonly opened: BaseCheckpointSaver[] = [];
  private readonly children: Child[] = [];

  private constructor(
    private readonly initializer: CheckpointerInitializer,
    readonly saver: BaseCheckpointSaver,
  ) {}

  static async begin(initializer: CheckpointerInitializer): Promise<Trial> {
    return new Trial(initializer, await initializer.createCheckpointer());
  }

  /** An id that no other check uses; what distinguishes names distinguishes ids. */
  readonly thread = (name = "t"): string => `${this.key}-${name}`;

  /** Another instance over the same storage. */
  async reopen(): Promise<BaseCheckpointSaver> {
    const second = await this.initializer.reopen?.(this.saver);
    holds(second !== undefined, "The initializer opens no second instance: it has no `reopen`.");
    this.opened.push(second);
    return second;
  }

  /** A second instance where the initializer can open one, else the same. */
  async second(): Promise<BaseCheckpointSaver> {
    return this.initializer.reopen === undefined ? this.saver : this.reopen();
  }

  /** Another process that has opened the storage, and waits for its job. */
  async child(): Promise<Child> {
    const { child } = this.initializer;
    holds(child !== undefined, "The initializer has no `child`.");
    const started = Child.start(child.module, child.parameters(this.saver), child.execArgv);
    this.children.push(started);
    await started.until("ready");
    return started;
  }

  async end(): Promise<void> {
    for (const child of this.children) await child.kill();
    for (const saver of [...this.opened, this.saver]) await this.initializer.destroyCheckpointer?.(saver);
  }
}
