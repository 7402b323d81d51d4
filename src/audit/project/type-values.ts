import type { Evaluator } from "./evaluate.js";
import { extended } from "./externals.js";
import type { SourceFile } from "./source-file.js";
import { keyName } from "./syntax.js";
import type { Node } from "./syntax.js";
import { NOTHING } from "./value.js";
import type { Env, Value } from "./value.js";

/** The type that is written at a parameter, a variable or a field. */
export function typeAnnotationOf(node: Node): Node | undefined {
  const target = node.type === "TSParameterProperty" ? node.parameter : node;
  const at = target.type === "AssignmentPattern" ? target.left : target;
  const { typeAnnotation } = at as { typeAnnotation?: (Node & { typeAnnotation?: Node }) | null };
  return typeAnnotation?.typeAnnotation;
}

/** Types around a type that hold a value of it. */
const HOLDERS = new Set(["Promise", "Readonly", "Required", "Partial", "NonNullable", "Awaited", "Omit", "Pick"]);

/**
 * What a value of a written type may be: an instance of a class of this project or of a package. `path` leads on to a
 * member, as a pattern does: `({ db }: { db: Pool })`.
 */
export function valuesOfType(
  evaluator: Evaluator,
  type: Node,
  file: SourceFile,
  env: Env | undefined,
  path: readonly string[] = [],
): readonly Value[] {
  const [step, ...rest] = path;
  switch (type.type) {
    case "TSUnionType":
    case "TSIntersectionType":
      return type.types.flatMap((each) => valuesOfType(evaluator, each, file, env, path));
    case "TSTypeLiteral":
      return step === undefined
        ? [{ kind: "shape", members: type.members, file, env }]
        : ofMembers(evaluator, type.members, file, env, step, rest);
    case "TSTypeQuery":
      return type.exprName.type === "Identifier"
        ? follow(evaluator, evaluator.of(type.exprName, file, env), path)
        : NOTHING;
    case "TSTypeReference":
      return ofReference(evaluator, type, file, env, path);
    default:
      return NOTHING;
  }
}

function ofReference(
  evaluator: Evaluator,
  type: Node & { type: "TSTypeReference" },
  file: SourceFile,
  env: Env | undefined,
  path: readonly string[],
): readonly Value[] {
  const { typeName, typeArguments } = type;
  const inner = typeArguments?.params[0];
  if (typeName.type === "TSQualifiedName") {
    const holder = typeName.left.type === "Identifier" ? evaluator.of(typeName.left, file, env) : NOTHING;
    return follow(evaluator, instances(evaluator.members(holder, typeName.right.name)), path);
  }
  if (typeName.type !== "Identifier") return NOTHING;
  const variable = file.variableOf(typeName);
  if (variable === undefined) {
    if (typeName.name === "ReturnType" && inner?.type === "TSTypeQuery" && inner.exprName.type === "Identifier") {
      return follow(evaluator, results(evaluator, evaluator.of(inner.exprName, file, env)), path);
    }
    return inner && HOLDERS.has(typeName.name) ? valuesOfType(evaluator, inner, file, env, path) : NOTHING;
  }
  const declaration = variable.defs[0]?.node as Node | undefined;
  if (declaration?.type === "TSTypeAliasDeclaration")
    return valuesOfType(evaluator, declaration.typeAnnotation, file, env, path);
  if (declaration?.type === "TSInterfaceDeclaration") {
    const [step, ...rest] = path;
    const { body: members } = declaration.body;
    return step === undefined
      ? [{ kind: "shape", members, file, env }]
      : ofMembers(evaluator, members, file, env, step, rest);
  }
  if (declaration?.type === "ImportSpecifier") {
    const alias = aliasOf(evaluator, declaration, file);
    if (alias) return valuesOfType(evaluator, alias.type, alias.file, undefined, path);
  }
  return follow(evaluator, instances(evaluator.of(typeName, file, env)), path);
}

/** The interface or type alias that an import leads to, in another file of the project. */
function aliasOf(
  evaluator: Evaluator,
  specifier: Node & { type: "ImportSpecifier" },
  from: SourceFile,
): { type: Node; file: SourceFile } | undefined {
  const { parent, imported } = specifier;
  if (parent?.type !== "ImportDeclaration" || imported.type === "Literal") return undefined;
  const file = evaluator.project.resolve(from, parent.source.value);
  for (const statement of file?.program.body ?? []) {
    if (statement.type !== "ExportNamedDeclaration" || !statement.declaration || !file) continue;
    const { declaration } = statement;
    if (declaration.type === "TSTypeAliasDeclaration" && declaration.id.name === imported.name)
      return { type: declaration.typeAnnotation, file };
    if (declaration.type === "TSInterfaceDeclaration" && declaration.id.name === imported.name) {
      return {
        type: { ...declaration.body, type: "TSTypeLiteral", members: declaration.body.body } as unknown as Node,
        file,
      };
    }
  }
  return undefined;
}

export function ofMembers(
  evaluator: Evaluator,
  members: readonly Node[],
  file: SourceFile,
  env: Env | undefined,
  step: string,
  rest: readonly string[],
): readonly Value[] {
  for (const member of members) {
    if (member.type !== "TSPropertySignature" || keyName(member.key, member.computed) !== step) continue;
    const type = member.typeAnnotation?.typeAnnotation;
    return type ? valuesOfType(evaluator, type, file, env, rest) : NOTHING;
  }
  return NOTHING;
}

function follow(evaluator: Evaluator, values: readonly Value[], path: readonly string[]): readonly Value[] {
  return path.reduce((from, step) => evaluator.members(from, step), values);
}

function instances(values: readonly Value[]): Value[] {
  return values.flatMap((value): Value[] => {
    if (value.kind === "class") return [{ kind: "instance", of: value, env: undefined }];
    return value.kind === "external" ? [extended(value, "new")] : [];
  });
}

function results(evaluator: Evaluator, values: readonly Value[]): Value[] {
  return values.flatMap((value): Value[] => {
    if (value.kind !== "external") return [];
    const path = [...value.path];
    path.push(`${path.pop() ?? ""}()`);
    return [{ ...value, path }];
  });
}
