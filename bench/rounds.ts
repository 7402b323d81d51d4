export interface Turn<Saver> {
  readonly run: number;
  readonly saver: Saver;
}

/**
 * Every saver in every round: within a round they follow each other, so that a machine that slows down slows all of
 * them; each round begins with another one.
 */
export function inTurns<Saver>(savers: readonly Saver[], runs: number): Turn<Saver>[] {
  return Array.from({ length: runs }, (_, run) =>
    savers.map((_saver, index) => ({ run, saver: savers[(index + run) % savers.length]! })),
  ).flat();
}
