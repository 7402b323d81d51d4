import { Annotation } from "@langchain/langgraph";
import { effect } from "../../../src/nodes/effect.js";
import { fresh, Outside } from "../effect/support.js";

export const retried = { retryPolicy: { maxAttempts: 3, initialInterval: 1, jitter: false, logWarning: false } };
export const Log = Annotation.Root({
  log: Annotation<unknown[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
});

/** Counts its calls, and returns how many there were. */
export function counter() {
  const state = { calls: 0 };
  return { state, take: (): number => (state.calls += 1) };
}

export function failing(times: number) {
  let failures = 0;
  return (): string => {
    failures += 1;
    if (failures <= times) throw new Error("flaky");
    return "worked";
  };
}

export function deferring() {
  const outside = new Outside();
  const send = effect<{ id: string }, unknown>({
    name: fresh("send"),
    key: ({ id }) => id,
    run: async (args, context) => outside.call(args, context),
  });
  return { send, outside };
}

export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
