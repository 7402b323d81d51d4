import { createAgent, todoListMiddleware, tool } from "langchain";
import type { AgentMiddleware } from "langchain";
import { z } from "zod";
// In your own project, both come from "langgraph-waypoint".
import type { SlimSaver } from "../../src/checkpointer/index.js";
import { absent, effectContextOf, safeTools, safeToolsMiddleware, succeeded } from "../../src/nodes/index.js";
import type { ToolPolicy } from "../../src/nodes/index.js";
import type { Airline } from "./airline.js";
import { INES, OMAR, VERA } from "./conversation.js";
import { ScriptedModel } from "./scripted-model.js";
import { timetable } from "./timetable.js";

/** Reads only, and runs as it is. */
export const listFlights = tool(({ date }) => JSON.stringify(timetable(date)), {
  name: "list_flights",
  description: "Lists the flights of a day.",
  schema: z.object({ date: z.string() }),
});

/** What waypoint has to know: which tool changes the world, what makes two calls the same, and how to look one up. */
function policyFor(airline: Airline): ToolPolicy {
  return {
    tools: {
      rebook: {
        key: ({ reservation, flight }) => `${String(reservation)} onto ${String(flight)}`,
        lookup: async (_args, { key }) => {
          const booking = airline.findBooking(key);
          return booking === undefined ? absent() : succeeded(JSON.stringify(booking));
        },
        approval: { decideWithin: "24h" },
      },
    },
  };
}

/** The agent's tools, written as for any agent. `afterBooking` is where the demo kills the process. */
function toolsOf(airline: Airline, afterBooking: () => void) {
  const findReservation = tool(({ code }) => JSON.stringify(airline.reservation(code) ?? "no such reservation"), {
    name: "find_reservation",
    description: "Finds a reservation by its code.",
    schema: z.object({ code: z.string() }),
  });
  const rebook = tool(
    (args, config) => {
      const booking = airline.book({ ...args, reference: effectContextOf(config)?.key ?? "" });
      afterBooking();
      return JSON.stringify(booking);
    },
    {
      name: "rebook",
      description: "Moves a reservation to another flight.",
      schema: z.object({ reservation: z.string(), flight: z.string() }),
    },
  );
  return [findReservation, listFlights, rebook];
}

export type SupportAgent = ReturnType<typeof supportAgent>;

/** Larkspur Air's support agent: a plain `createAgent`, and three things of waypoint's: the saver, the tools, the middleware. */
export function supportAgent(airline: Airline, checkpointer: SlimSaver, afterBooking: () => void) {
  const policy = policyFor(airline);
  const scripts = new Map([INES, OMAR, VERA].map(({ opening, lines }) => [opening, lines]));
  return createAgent({
    model: new ScriptedModel((opening) => scripts.get(opening) ?? []),
    tools: safeTools(toolsOf(airline, afterBooking), policy),
    // langchain's own types of this middleware do not fit its parameter where optional properties are exact.
    middleware: [todoListMiddleware() as AgentMiddleware, safeToolsMiddleware(policy)],
    checkpointer,
  });
}
