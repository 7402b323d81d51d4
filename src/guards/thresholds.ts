/** How often, counted in rounds of the model, before it is reminded and before the run is stopped; `false` for never. */
export interface Threshold {
  readonly remind: number | false;
  readonly trip: number | false;
}

/** One threshold for each way to go in circles. */
export interface Thresholds {
  /** The same call with the same outcome. */
  readonly repeat: Threshold;
  /** Laps of a cycle of two to four different calls. */
  readonly cycle: Threshold;
  /** One tool, one kind of error, other arguments each time. It only ever reminds. */
  readonly varying: Threshold;
  /** A tool that does not exist, whatever it is called. */
  readonly unknownTool: Threshold;
  /** Arguments that the tool's schema, or JSON itself, refuses. */
  readonly schema: Threshold;
  /** A person said no. */
  readonly rejection: Threshold;
  /** Rate limits, busy servers, lost connections. */
  readonly transient: Threshold;
  /** A tool that waits for something, with an unchanged answer. */
  readonly poll: Threshold;
}

export type DetectorName = keyof Thresholds;

/** Defaults, with their evidence in docs/loops.md. */
export const DEFAULT_THRESHOLDS: Thresholds = {
  repeat: { remind: 3, trip: 5 },
  cycle: { remind: 3, trip: 5 },
  varying: { remind: 4, trip: false },
  unknownTool: { remind: 2, trip: 4 },
  schema: { remind: 2, trip: 4 },
  rejection: { remind: 2, trip: 4 },
  transient: { remind: 5, trip: 10 },
  poll: { remind: 10, trip: 30 },
};

/** A trip comes no sooner than this many repeats after the reminder: the model has to have had a chance. */
export const FRESH_REPEATS = 2;
