/** Counts calls; each returns another number. */
export function counter() {
  const seen: unknown[] = [];
  const take = (args: unknown): number => seen.push(args);
  return { take, seen };
}

export const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code;
export const messageOf = (error: unknown): string => (error as Error).message;

export const retried = { retryPolicy: { maxAttempts: 3, initialInterval: 1, jitter: false, logWarning: false } };

export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
