/** What the model says at one point: words, tool calls, or both. */
export interface Line {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly args: Record<string, unknown> }[];
}

/** A customer's thread, from the opening question on. */
export interface Conversation {
  readonly threadId: string;
  readonly customer: string;
  readonly opening: string;
  /** Everything the model will say, in order. */
  readonly lines: readonly Line[];
}

function todos(...[done, doing, left]: readonly string[][]): { name: string; args: Record<string, unknown> } {
  const list = (contents: readonly string[] = [], status: string) => contents.map((content) => ({ content, status }));
  return {
    name: "write_todos",
    args: { todos: [...list(done, "completed"), ...list(doing, "in_progress"), ...list(left, "pending")] },
  };
}

/** One passenger; the booking's process is killed at the worst moment. */
export const INES: Conversation = {
  threadId: "support-ines",
  customer: "Ines",
  opening: "Hello! My flight on 3 December (QX7M2P) leaves too early for me. Is there one in the afternoon?",
  lines: [
    { text: "Let me look at your reservation.", calls: [{ name: "find_reservation", args: { code: "QX7M2P" } }] },
    { calls: [{ name: "list_flights", args: { date: "2026-12-03" } }] },
    {
      text: "LK 130 leaves in the afternoon. I will put you on it.",
      calls: [{ name: "rebook", args: { reservation: "QX7M2P", flight: "LK 130" } }],
    },
    { text: "Done: you are on LK 130 on 3 December. The new ticket is on its way to you." },
  ],
};

/** The same, but nobody can look up afterwards whether the booking was made. */
export const OMAR: Conversation = {
  threadId: "support-omar",
  customer: "Omar",
  opening: "I have to move B4T9ZR to the last flight that day, please.",
  lines: [
    { calls: [{ name: "find_reservation", args: { code: "B4T9ZR" } }] },
    { calls: [{ name: "rebook", args: { reservation: "B4T9ZR", flight: "LK 148" } }] },
    { text: "You are on LK 148 now, the last flight on 5 December." },
  ],
};

/** Two passengers, two bookings, two approvals one after the other. */
export const VERA: Conversation = {
  threadId: "support-vera",
  customer: "Vera",
  opening: "My brother and I (H2K8WD and H2K8WE) would like to fly at noon on 8 December instead of at dawn.",
  lines: [
    {
      calls: [
        todos([], ["Find both reservations"], ["Rebook Vera", "Rebook Tom", "Confirm to both"]),
        { name: "find_reservation", args: { code: "H2K8WD" } },
        { name: "find_reservation", args: { code: "H2K8WE" } },
      ],
    },
    { calls: [{ name: "rebook", args: { reservation: "H2K8WD", flight: "LK 120" } }] },
    { calls: [todos(["Find both reservations", "Rebook Vera"], ["Rebook Tom"], ["Confirm to both"])] },
    {
      text: "Vera is on LK 120. Now Tom.",
      calls: [{ name: "rebook", args: { reservation: "H2K8WE", flight: "LK 120" } }],
    },
    { text: "You both fly at noon, on LK 120." },
  ],
};

/** A customer who asks about one day after another and books nothing; no two turns say the same. */
export function longConversation(turns: number): { questions: string[]; lines: Line[] } {
  const days = Array.from({ length: turns }, (_, turn) =>
    new Date(Date.UTC(2027, 0, 4 + turn)).toISOString().slice(0, 10),
  );
  return {
    questions: days.map((date) => `And how about ${date}? I need to be in Sandhaven before the shops close.`),
    lines: days.flatMap((date, turn) => [
      { text: `Let me see what flies on ${date}.`, calls: [{ name: "list_flights", args: { date } }] },
      {
        text: `On ${date} I would take LK ${102 + (turn % 5) * 2}: it leaves you the afternoon, and it can be changed later.`,
      },
    ]),
  };
}
