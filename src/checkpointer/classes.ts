import { BaseMessage } from "@langchain/core/messages";
import { InvalidInputError } from "../shared/errors.js";
import { messageFields } from "./messages.js";
import { setOwn } from "./tree.js";

/**
 * A class of the application whose instances come back as instances. Without `toData` the enumerable properties are
 * stored; without `fromData` they are put onto a new object of the class, whose constructor does not run. Of a message
 * class, the fields are stored and the constructor is called with them.
 *
 * @example
 * class Money { constructor(readonly cents: number) {} }
 * SlimSaver.fromConnString("agent.db", { classes: [{ name: "Money", class: Money }] });
 */
export interface SerializableClass {
  /** Stands in the database: keep it when the class is renamed. */
  readonly name: string;
  readonly class: abstract new (...parameters: never[]) => object;
  readonly toData?: (value: never) => unknown;
  readonly fromData?: (data: never) => object;
}

/** The classes that an application has registered. */
export class Classes {
  private readonly byName = new Map<string, SerializableClass>();
  private readonly byPrototype = new Map<object, SerializableClass>();

  /** @throws InvalidInputError for what is no class, and for a name that stands for two. */
  constructor(classes: readonly SerializableClass[] = []) {
    if (!Array.isArray(classes)) throw new InvalidInputError("The option classes must be a list.");
    for (const entry of classes as readonly SerializableClass[]) this.register(entry);
  }

  private register(entry: SerializableClass): void {
    const { name, class: registered } = (entry as Partial<SerializableClass> | null) ?? {};
    if (typeof name !== "string" || name === "" || typeof registered !== "function") {
      throw new InvalidInputError(`Each of the option classes must be { name: "…", class: … }.`);
    }
    if (this.byName.has(name)) throw new InvalidInputError(`Two of the option classes have the name "${name}".`);
    this.byName.set(name, entry);
    this.byPrototype.set(registered.prototype as object, entry);
  }

  of(value: object): SerializableClass | undefined {
    return this.byPrototype.size === 0 ? undefined : this.byPrototype.get(Object.getPrototypeOf(value) as object);
  }

  /** An instance from its data; the data themselves when nothing is registered under the name. */
  make(name: string, data: unknown): unknown {
    const entry = this.byName.get(name);
    if (entry === undefined) return data;
    if (entry.fromData !== undefined) return (entry.fromData as (data: unknown) => object)(data);
    const prototype = entry.class.prototype as object;
    if (isMessagePrototype(prototype)) return new (entry.class as new (fields: unknown) => object)(data);
    return withProperties(Object.create(prototype) as Record<string, unknown>, data as Record<string, unknown>);
  }
}

export function dataOf(value: object, { toData }: SerializableClass): unknown {
  if (toData !== undefined) return (toData as (value: object) => unknown)(value);
  if (!BaseMessage.isInstance(value)) return { ...value };
  return { ...messageFields(value), ...(value.id === undefined ? {} : { id: value.id }) };
}

function withProperties(instance: Record<string, unknown>, data: Record<string, unknown>): object {
  for (const key of Object.keys(data)) setOwn(instance, key, data[key]);
  return instance;
}

/** `instanceof` asks messages for a mark that only instances have. */
function isMessagePrototype(prototype: object): boolean {
  return Object.prototype.isPrototypeOf.call(BaseMessage.prototype, prototype);
}
