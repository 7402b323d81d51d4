import { deprecatedNodeInterrupt } from "./deprecated-node-interrupt.js";
import { effectBeforeInterrupt } from "./effect-before-interrupt.js";
import { effectBetweenInterrupts } from "./effect-between-interrupts.js";
import { generatorNode } from "./generator-node.js";
import { guardedReplay } from "./guarded-replay.js";
import { interruptInCatch } from "./interrupt-in-catch.js";
import { interruptResultDiscarded } from "./interrupt-result-discarded.js";
import { interruptResultThrown } from "./interrupt-result-thrown.js";
import { interruptSwallowed } from "./interrupt-swallowed.js";
import { loopCarriedEffect } from "./loop-carried-effect.js";
import { middlewareHook } from "./middleware-hook.js";
import { missingThreadId } from "./missing-thread-id.js";
import { modelCallBeforeInterrupt } from "./model-call-before-interrupt.js";
import { mutationBeforeInterrupt } from "./mutation-before-interrupt.js";
import { noCheckpointer } from "./no-checkpointer.js";
import { nondeterminismBeforeInterrupt } from "./nondeterminism-before-interrupt.js";
import { parallelInterrupts } from "./parallel-interrupts.js";
import { readBeforeInterrupt } from "./read-before-interrupt.js";
import { resumeMisuse } from "./resume-misuse.js";
import { routerInterrupt } from "./router-interrupt.js";
import type { PairRule, Rule, SiteRule } from "./rule.js";
import { staleApproval } from "./stale-approval.js";
import { staticBreakpoint } from "./static-breakpoint.js";
import { subgraphBeforeInterrupt } from "./subgraph-before-interrupt.js";
import { toolSiblingsRerun } from "./tool-siblings-rerun.js";
import { unserializablePayload } from "./unserializable-payload.js";
import { unstableInterruptOrder } from "./unstable-interrupt-order.js";
import { validationLoop } from "./validation-loop.js";

/** The rules about an effect and a question, the most specific first: each pair is reported under one. */
export const PAIR_RULES: readonly PairRule[] = [
  guardedReplay,
  interruptInCatch,
  loopCarriedEffect,
  effectBetweenInterrupts,
  effectBeforeInterrupt,
  unstableInterruptOrder,
  modelCallBeforeInterrupt,
  nondeterminismBeforeInterrupt,
  readBeforeInterrupt,
  mutationBeforeInterrupt,
  subgraphBeforeInterrupt,
];

/** The rules about a single place. */
export const SITE_RULES: readonly SiteRule[] = [
  interruptSwallowed,
  interruptResultThrown,
  interruptResultDiscarded,
  parallelInterrupts,
  validationLoop,
  toolSiblingsRerun,
  middlewareHook,
  unserializablePayload,
  staleApproval,
  deprecatedNodeInterrupt,
  staticBreakpoint,
  generatorNode,
  routerInterrupt,
  noCheckpointer,
  missingThreadId,
  resumeMisuse,
];

/** All rules, by code. */
export const RULES: readonly Rule[] = [...PAIR_RULES, ...SITE_RULES].sort((a, b) => (a.code < b.code ? -1 : 1));
