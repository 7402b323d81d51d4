import { checkpointerContract } from "../../src/testing/index.js";
import type { CheckpointerInitializer } from "../../src/testing/index.js";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";

/** Carries out one check of the contract; returns what it says is wrong, or undefined when it passes. */
export async function checkOf<C extends BaseCheckpointSaver>(
  initializer: CheckpointerInitializer<C>,
  check: string,
): Promise<Error | undefined> {
  const bodies: (() => Promise<void>)[] = [];
  const runner = {
    describe: (_name: string, body: () => void) => {
      body();
    },
    it: (name: string, body: () => Promise<void>) => {
      if (name === check) bodies.push(body);
    },
  };
  checkpointerContract({ ...initializer, runner });
  const [body, ...others] = bodies;
  if (body === undefined || others.length > 0) throw new Error(`There is not one check "${check}".`);
  return body().then(
    () => undefined,
    (error: unknown) => error as Error,
  );
}
