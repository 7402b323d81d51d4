/** A life that was broken off by `crashPoints.throwing`, or what still runs of it and wanted to do more. */
export class SimulatedCrash extends Error {
  override readonly name = "SimulatedCrash";

  constructor(
    /** Where the life ended. */
    readonly point: string,
  ) {
    super(`Crashed at the point "${point}", as planned.`);
  }
}

export type Manner = "throw" | "kill";

/** The end of a life: at first it has not come. */
export interface Death {
  readonly at: string | undefined;
  /** @throws SimulatedCrash when it has come */
  refuse(): void;
  /** @throws SimulatedCrash, unless the process is killed */
  come(point: string): never;
  /** The result, or the crash that comes while it is waited for: a dead process waits for nothing. */
  orResult<T>(result: T | Promise<T>): Promise<T>;
}

export function deathBy(manner: Manner): Death {
  let crash: SimulatedCrash | undefined;
  const waiting = new Set<(crash: SimulatedCrash) => void>();
  return {
    get at() {
      return crash?.point;
    },
    refuse: () => {
      if (crash !== undefined) throw crash;
    },
    come: (point) => {
      if (manner === "kill") process.kill(process.pid, "SIGKILL");
      crash = new SimulatedCrash(point);
      for (const reject of waiting) reject(crash);
      throw crash;
    },
    orResult: (result) =>
      new Promise((resolve, reject) => {
        waiting.add(reject);
        void Promise.resolve(result)
          .then(resolve, reject)
          .finally(() => waiting.delete(reject));
      }),
  };
}
