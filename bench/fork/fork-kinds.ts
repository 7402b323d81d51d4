/** How a thread is forked: a message written onto the end of an old turn, or its last answer given once more. */
export const FORK_KINDS = ["updateState", "invoke"] as const;
export type ForkKind = (typeof FORK_KINDS)[number];
