import { keyName, memberName, startOf, stringOf, unwrap } from "./syntax.js";
import type { Node } from "./syntax.js";
import type { SourceFile } from "./source-file.js";

/** Where an export comes from: an expression or declaration of this file, or a name of another module. */
export type ExportSource =
  | { readonly kind: "here"; readonly node: Node }
  | { readonly kind: "there"; readonly specifier: string; readonly name: string };

export interface ModuleExports {
  readonly named: ReadonlyMap<string, ExportSource>;
  /** `export * from` */
  readonly stars: readonly string[];
  /** What CommonJS assigns to `module.exports`. */
  readonly whole: Node | undefined;
}

const TABLES = new WeakMap<SourceFile, ModuleExports>();

/** The exports of a file, in ESM and in CommonJS. */
export function exportsOf(file: SourceFile): ModuleExports {
  const known = TABLES.get(file);
  if (known !== undefined) return known;
  const table = tableOf(file);
  TABLES.set(file, table);
  return table;
}

function tableOf(file: SourceFile): ModuleExports {
  const named = new Map<string, ExportSource>();
  const stars: string[] = [];
  let whole: Node | undefined;
  for (const statement of file.program.body) {
    if (statement.type === "ExportAllDeclaration") {
      if (statement.exported === null) stars.push(statement.source.value);
      else named.set(nameOf(statement.exported), { kind: "there", specifier: statement.source.value, name: "*" });
    } else if (statement.type === "ExportDefaultDeclaration") {
      named.set("default", { kind: "here", node: statement.declaration });
    } else if (statement.type === "ExportNamedDeclaration") addNamed(statement, named);
    else if (statement.type === "TSExportAssignment") whole = statement.expression;
    else if (statement.type === "ExpressionStatement") whole = addCommonJs(statement.expression, named) ?? whole;
  }
  return { named, stars, whole };
}

function addNamed(statement: Node & { type: "ExportNamedDeclaration" }, named: Map<string, ExportSource>): void {
  for (const { local, exported } of statement.specifiers) {
    const source: ExportSource =
      statement.source === null
        ? { kind: "here", node: local }
        : { kind: "there", specifier: statement.source.value, name: nameOf(local) };
    named.set(nameOf(exported), source);
  }
  const { declaration } = statement;
  if (!declaration) return;
  if (declaration.type === "VariableDeclaration") {
    for (const { id } of declaration.declarations)
      for (const name of namesIn(id)) named.set(name.name, { kind: "here", node: name });
  } else if ("id" in declaration && declaration.id?.type === "Identifier") {
    named.set(declaration.id.name, { kind: "here", node: declaration.id });
  }
}

/** `exports.x = …`, `module.exports.x = …`, `module.exports = …` */
function addCommonJs(expression: Node, named: Map<string, ExportSource>): Node | undefined {
  const node = unwrap(expression);
  if (node.type !== "AssignmentExpression") return undefined;
  const left = unwrap(node.left);
  if (left.type !== "MemberExpression") return undefined;
  const name = memberName(left);
  if (isModuleExports(left)) return node.right;
  const holder = unwrap(left.object);
  if (name !== undefined && (isModuleExports(holder) || (holder.type === "Identifier" && holder.name === "exports"))) {
    named.set(name, { kind: "here", node: node.right });
  }
  return undefined;
}

function isModuleExports(node: Node): boolean {
  if (node.type !== "MemberExpression" || memberName(node) !== "exports") return false;
  const holder = unwrap(node.object);
  return holder.type === "Identifier" && holder.name === "module";
}

function nameOf(node: Node): string {
  return stringOf(node) ?? (node.type === "Identifier" ? node.name : "");
}

/** The identifiers that a pattern binds. */
export function namesIn(pattern: Node): (Node & { type: "Identifier" })[] {
  switch (pattern.type) {
    case "Identifier":
      return [pattern];
    case "ObjectPattern":
      return pattern.properties.flatMap((property) =>
        namesIn(property.type === "RestElement" ? property.argument : property.value),
      );
    case "ArrayPattern":
      return pattern.elements.flatMap((element) => (element === null ? [] : namesIn(element)));
    case "AssignmentPattern":
      return namesIn(pattern.left);
    case "RestElement":
      return namesIn(pattern.argument);
    case "TSParameterProperty":
      return namesIn(pattern.parameter);
    default:
      return [];
  }
}

/**
 * The way from the value that a pattern takes apart to one of its names: `{ a: [, b] }` → `["a", "1"]`. A default
 * value on the way is given too.
 */
export function wayTo(pattern: Node, name: Node): { path: string[]; fallback?: Node } | undefined {
  switch (pattern.type) {
    case "Identifier":
      return startOf(pattern) === startOf(name) ? { path: [] } : undefined;
    case "AssignmentPattern": {
      const way = wayTo(pattern.left, name);
      return way && { fallback: pattern.right, ...way };
    }
    case "TSParameterProperty":
      return wayTo(pattern.parameter, name);
    case "ObjectPattern":
      for (const property of pattern.properties) {
        const rest = property.type === "RestElement";
        const way = wayTo(rest ? property.argument : property.value, name);
        const key = rest ? [] : [keyName(property.key, property.computed) ?? "[]"];
        if (way) return { ...way, path: [...key, ...way.path] };
      }
      return undefined;
    case "ArrayPattern":
      for (const [index, element] of pattern.elements.entries()) {
        const way = element === null ? undefined : wayTo(element, name);
        if (way) return { ...way, path: [String(index), ...way.path] };
      }
      return undefined;
    default:
      return undefined;
  }
}
