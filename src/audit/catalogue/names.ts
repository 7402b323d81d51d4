import words from "./names.json" with { type: "json" };
import type { Kind } from "./kind.js";

const [
  SAFE_RECEIVERS,
  SAFE,
  MODEL,
  MODEL_RECEIVERS,
  MODEL_SERVICES,
  MODEL_METHODS,
  GRAPH_RECEIVERS,
  GRAPH_METHODS,
  READ,
  SEND,
  WRITE,
  STRONG,
] = [
  words.safeReceivers,
  words.safe,
  words.model,
  words.modelReceivers,
  words.modelServices,
  words.modelMethods,
  words.graphReceivers,
  words.graphMethods,
  words.read,
  words.send,
  words.write,
  words.strong,
].map((text) => new RegExp(text)) as [
  RegExp,
  RegExp,
  RegExp,
  RegExp,
  RegExp,
  RegExp,
  RegExp,
  RegExp,
  RegExp,
  RegExp,
  RegExp,
  RegExp,
];

export interface NamedCall {
  /** The name before the last dot; empty when there is none. */
  readonly receiver: string;
  readonly name: string;
  /** Whether the result is waited for, given back, or neither. */
  readonly taken: "awaited" | "returned" | "plain";
}

/**
 * What a call of something unknown is likely to be, from its name alone. Only asked when no binding says it. A call
 * that nobody waits for is taken for a plain function, unless its name says that it reaches somebody; what is given
 * back may be plain too, unless its name says more than a verb.
 */
export function kindByName({ receiver, name, taken }: NamedCall): Kind {
  if (SAFE_RECEIVERS.test(receiver)) return "log";
  if (taken === "plain") return STRONG.test(name) && receiver !== "res" ? "unknown" : "pure";
  if (taken === "returned" && !/^[a-z]+[A-Z_]/.test(name) && !STRONG.test(name)) return "pure";
  const kind = guess(receiver, name);
  return taken === "returned" && (kind === "unknown" || BUILT_IN.test(name)) ? "pure" : kind;
}

/** Methods of arrays, strings and maps whose names are more than a verb. */
const BUILT_IN =
  /^(?:find(?:Index|Last|LastIndex)|starts[A-Z]|ends[A-Z]|to[A-Z]|is[A-Z]|has[A-Z]|replaceAll|matchAll|flatMap|index[A-Z]|last[A-Z]|char[A-Z]|code[A-Z]|pad[A-Z]|locale[A-Z]|trim[A-Z]|get(?:Time|Date|Day|Hours|Month|FullYear|Type|Prototype)|set(?:Prototype)|deleteProperty)/;

function guess(receiver: string, name: string): Kind {
  const lower = receiver.toLowerCase();
  if (GRAPH_METHODS.test(name) && GRAPH_RECEIVERS.test(lower)) return "subgraph";
  if (MODEL_METHODS.test(name) && MODEL_RECEIVERS.test(lower)) return "model";
  if (SAFE.test(name)) return "pure";
  if (MODEL_SERVICES.test(receiver) && !READ.test(name) && !WRITE.test(name)) return "model";
  if (MODEL.test(name)) return "model";
  if (SEND.test(name)) return "send";
  if (WRITE.test(name)) return "write";
  return READ.test(name) ? "read" : "unknown";
}
