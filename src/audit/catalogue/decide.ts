import { propertyOf, stringOf, unwrap } from "../project/syntax.js";
import type { Node } from "../project/syntax.js";
import type { Kind } from "./kind.js";

type Decide = (given: readonly Node[], way: string) => Kind;

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/** `fetch(url, { method })`, `axios({ method })`: what is not said is a GET. */
function http(given: readonly Node[]): Kind {
  for (const argument of given) {
    const options = unwrap(argument);
    const method = propertyOf(options, "method");
    if (method === undefined) {
      // Options that are made elsewhere may say anything, but most say GET when they do not carry a body.
      if (propertyOf(options, "body") !== undefined || propertyOf(options, "data") !== undefined) return "write";
      continue;
    }
    const name = stringOf(unwrap(method))?.toUpperCase();
    return name !== undefined && SAFE_METHODS.has(name) ? "read" : "write";
  }
  return "read";
}

/** The words of a statement of SQL, as far as they are written out. */
function sqlText(given: readonly Node[]): string {
  const first = given[0] === undefined ? undefined : unwrap(given[0]);
  if (first === undefined) return "";
  const object = propertyOf(first, "text") ?? propertyOf(first, "sql") ?? propertyOf(first, "query");
  const node = object === undefined ? first : unwrap(object);
  if (node.type === "TemplateLiteral") return node.quasis.map(({ value }) => value.raw).join("?");
  if (node.type === "TaggedTemplateExpression") return node.quasi.quasis.map(({ value }) => value.raw).join("?");
  if (node.type === "BinaryExpression") return stringOf(unwrap(node.left)) ?? "";
  return stringOf(node) ?? "";
}

function sql(given: readonly Node[], way: string): Kind {
  const text = sqlText(given).replaceAll(/--.*$/gm, "").trim().toUpperCase();
  if (text === "") return /(?:^|\.)(?:get|all|each|values)$/.test(way) ? "read" : "write";
  if (/^(?:SELECT|SHOW|EXPLAIN|PRAGMA|VALUES|DESCRIBE)\b/.test(text))
    return /\bFOR UPDATE\b/.test(text) ? "write" : "read";
  if (/^WITH\b/.test(text) && !/\b(?:INSERT|UPDATE|DELETE|MERGE)\b/.test(text)) return "read";
  if (
    /\bON CONFLICT\b|\bON DUPLICATE KEY\b|^INSERT OR (?:REPLACE|IGNORE)\b|^REPLACE INTO\b|^MERGE\b|\bIF NOT EXISTS\b/.test(
      text,
    )
  ) {
    return "idempotent";
  }
  if (/^(?:BEGIN|COMMIT|ROLLBACK|SET|START TRANSACTION|SAVEPOINT|RELEASE)\b/.test(text)) return "pure";
  return "write";
}

function cypher(given: readonly Node[]): Kind {
  const text = sqlText(given).toUpperCase();
  return text !== "" && !/\b(?:CREATE|MERGE|SET|DELETE|REMOVE)\b/.test(text) ? "read" : "write";
}

/** `client.send(new PutItemCommand(…))`: the command says what it does. */
function aws(given: readonly Node[]): Kind {
  const command = given[0] === undefined ? undefined : unwrap(given[0]);
  if (command?.type !== "NewExpression" || command.callee.type !== "Identifier") return "write";
  const { name } = command.callee;
  if (/^(?:Get|List|Describe|Query|Scan|Head|BatchGet|Search|Select|Lookup)/.test(name)) return "read";
  if (/^(?:InvokeModel|Converse|Retrieve|InvokeAgent)/.test(name)) return "model";
  return /^(?:Send|Publish|PutEvents|StartExecution)/.test(name) ? "send" : "write";
}

/** `dayjs()` is now; `dayjs(date)` is not. */
function dayjs(given: readonly Node[], way: string): Kind {
  return given.length === 0 && way === "" ? "clock" : "pure";
}

/** Kinds that depend on the arguments of the call. */
export const DECISIONS = { http, sql, cypher, aws, dayjs } as const satisfies Record<string, Decide>;

export type Decision = keyof typeof DECISIONS;
