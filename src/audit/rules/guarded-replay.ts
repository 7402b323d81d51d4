import { changesSomething } from "./effect-before-interrupt.js";
import type { PairRule } from "./rule.js";

export const guardedReplay: PairRule = {
  code: "WP109",
  name: "guarded-replay",
  severity: "info",
  summary:
    "An effect before an interrupt is guarded by a check of whether it has happened, which cannot be proved here.",
  fix: "If the check is atomic and lasting, say so with a comment `@waypoint idempotent` above the call; else use effect().",
  matches: (pair) => changesSomething(pair) && pair.guarded,
  message: ({ effect }) =>
    `${effect.what} is guarded against running again; whether the guard holds after a crash cannot be seen here.`,
};
