import { audit } from "./audit/command.js";
import type { Bench } from "./bench.js";
import { concurrent } from "./concurrent/command.js";
import { detector } from "./detector/command.js";
import { effect } from "./effect/command.js";
import { fork } from "./fork/command.js";
import { growth } from "./growth/command.js";
import { list } from "./list/command.js";
import { resume } from "./resume/command.js";

/** Every benchmark, in the order in which `npm run bench` runs them. */
export const BENCHES: readonly Bench[] = [growth, resume, list, concurrent, fork, effect, detector, audit];
