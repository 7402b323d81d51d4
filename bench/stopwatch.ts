/** Sums up the time of the pieces that count, on the wall and on the processor; what happens between them does not. */
export class Stopwatch {
  ms = 0;
  /** What the process itself used, whoever else kept the cores busy. */
  cpuMs = 0;

  async time<T>(work: () => T | Promise<T>): Promise<T> {
    const used = process.cpuUsage();
    const start = performance.now();
    const result = await work();
    this.ms += performance.now() - start;
    const { user, system } = process.cpuUsage(used);
    this.cpuMs += (user + system) / 1000;
    return result;
  }
}
