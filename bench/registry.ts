import type { Bench } from "./bench.js";
import { growth } from "./growth/command.js";

/** Every benchmark, in the order in which `npm run bench` runs them. */
export const BENCHES: readonly Bench[] = [growth];
