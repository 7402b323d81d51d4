import type { SlimSaver } from "../../src/checkpointer/index.js";
import { absent, failed, safeTools, safeToolsMiddleware, succeeded } from "../../src/nodes/index.js";
import type { Outcome, ToolPolicy, ToolRule } from "../../src/nodes/index.js";
import { airlineAgent, answerTo, recordedTools } from "./agent.js";
import type { AirlineAgent, Perform } from "./agent.js";
import type { Airline } from "./airline.js";
import type { Deaths } from "./deaths.js";
import { atCall } from "./kill-plan.js";
import { changesTheWorld, refusalIn } from "./recording.js";
import type { Recording } from "./recording.js";

/** What is taken away from the agent, to see that the drill notices. */
export type Sabotage = "blind-lookup" | "no-ledger";

export interface World {
  readonly saver: SlimSaver;
  readonly airline: Airline;
  readonly deaths: Deaths;
}

/** The airline's agent with what this package adds. Its world-changing tools call the airline, and may die around it. */
export function guardedAgent(recording: Recording, world: World, sabotage?: Sabotage): AirlineAgent {
  const policy = policyFor(recording, world, sabotage);
  const tools = recordedTools(recording, performIn(world));
  return airlineAgent(recording, {
    checkpointer: world.saver,
    tools: sabotage === "no-ledger" ? tools : safeTools(tools, policy),
    asking: safeToolsMiddleware(policy),
  });
}

function performIn({ airline, deaths }: World): Perform {
  return (call, args) => {
    if (!changesTheWorld(call)) return answerTo(call);
    deaths.at(atCall(call.id, "intended"));
    airline.perform(call.id, call, args);
    deaths.at(atCall(call.id, "sent"));
    return answerTo(call);
  };
}

/** Each recorded call is one business action: its key is its id. */
function policyFor(recording: Recording, { airline, deaths }: World, sabotage: Sabotage | undefined): ToolPolicy {
  const rule: ToolRule = {
    approval: true,
    key: (_args, { toolCallId }) => String(toolCallId),
    lookup: async (_args, { key }) => {
      const outcome = sabotage === "blind-lookup" ? absent() : outcomeAt(airline, key);
      deaths.at(atCall(key, "looked-up"));
      return outcome;
    },
  };
  const names = new Set(recording.calls.filter(changesTheWorld).map(({ tool }) => tool));
  return { tools: Object.fromEntries([...names].map((name) => [name, rule])) };
}

function outcomeAt(airline: Airline, key: string): Outcome<string> {
  const answer = airline.answerTo(key);
  if (answer === undefined) return absent();
  const refusal = refusalIn(answer);
  return refusal === undefined ? succeeded(answer) : failed(new Error(refusal));
}
