import { processWide } from "../shared/process-wide.js";
import { checkDefinition, limitsOf, type AnyDefinition, type Limits } from "./definition.js";
import { EffectDefinitionError } from "./errors.js";

export interface Registered {
  readonly definition: AnyDefinition;
  readonly limits: Limits;
}

const entries = new WeakMap<AnyDefinition, Registered>();
const registry = processWide("effects", () => new Map<string, Registered>());

/**
 * Registers a definition under its name. The same code registered again (a module loaded twice, an effect made for each
 * request) replaces itself. Other code under the same name is an error in production, where it would be two effects
 * that share one key space; elsewhere it replaces the old code, as hot reloading needs.
 *
 * @throws EffectDefinitionError
 */
export function register(definition: AnyDefinition): Registered {
  checkDefinition(definition);
  const existing = registry.get(definition.name);
  if (existing !== undefined && process.env.NODE_ENV === "production" && !sameCode(existing.definition, definition)) {
    throw new EffectDefinitionError(
      `Two different effects are called "${definition.name}". The name identifies the effect in the ledger: rename one of ` +
        `them, or define it once and import it.`,
    );
  }
  const entry = { definition, limits: limitsOf(definition) };
  registry.set(definition.name, entry);
  entries.set(definition, entry);
  return entry;
}

/** What a definition was registered as, also after another took over its name. */
export function entryOf(definition: AnyDefinition): Registered {
  return entries.get(definition) ?? register(definition);
}

/** The effect of that name in this process. */
export function registered(name: string): Registered | undefined {
  return registry.get(name);
}

function sameCode(one: AnyDefinition, other: AnyDefinition): boolean {
  const text = ({ key, run, lookup, undo }: AnyDefinition): string => [key, run, lookup, undo].map(String).join("\n");
  return text(one) === text(other);
}
