import type { Evaluator } from "./evaluate.js";
import { extended } from "./externals.js";
import { constructorOf } from "./functions.js";
import { keyName, memberName, unwrap, walkFunction } from "./syntax.js";
import type { Node } from "./syntax.js";
import { ofMembers, typeAnnotationOf, valuesOfType } from "./type-values.js";
import { NOTHING } from "./value.js";
import type { ClassValue, Env, Value } from "./value.js";

/** What `value.name` may stand for; `[]` is a member whose name is not written out. */
export function memberOf(evaluator: Evaluator, value: Value, name: string): readonly Value[] {
  switch (value.kind) {
    case "external":
      return value.module !== "" && name === "default" && value.path.length === 0 ? [value] : [extended(value, name)];
    case "module":
      return evaluator.exported(value.file, name);
    case "object":
      return ofObject(evaluator, value, name);
    case "array":
      return ofArray(evaluator, value, name);
    case "instance":
      return ofInstance(evaluator, value.of, value.env, name);
    case "shape":
      return ofMembers(evaluator, value.members, value.file, value.env, name, []);
    case "class":
      return ofClass(evaluator, value, name);
    default:
      return NOTHING;
  }
}

function ofObject(
  evaluator: Evaluator,
  { node, file, env }: Value & { kind: "object" },
  name: string,
): readonly Value[] {
  const found: Value[] = [];
  for (const property of node.properties) {
    if (property.type === "SpreadElement") {
      found.push(...evaluator.members(evaluator.of(property.argument, file, env), name));
    } else if (name === "[]" || keyName(property.key, property.computed) === name) {
      if (name !== "[]") found.length = 0;
      found.push(...evaluator.of(property.value, file, env));
    }
  }
  return found;
}

function ofArray(evaluator: Evaluator, { node, file, env }: Value & { kind: "array" }, name: string): readonly Value[] {
  const elements = /^\d+$/.test(name) ? [node.elements[Number(name)]] : name === "[]" ? node.elements : [];
  return elements.flatMap((element) =>
    !element
      ? []
      : element.type === "SpreadElement"
        ? evaluator.members(evaluator.of(element.argument, file, env), "[]")
        : evaluator.of(element, file, env),
  );
}

function ofInstance(evaluator: Evaluator, of: ClassValue, env: Env | undefined, name: string): readonly Value[] {
  const { node, file } = of;
  for (const element of node.body.body) {
    if (element.type !== "MethodDefinition" && element.type !== "PropertyDefinition") continue;
    if (element.static || keyName(element.key, element.computed) !== name) continue;
    if (element.type === "MethodDefinition") {
      // The method runs on this object, so `this` leads back to what it was made with.
      if (element.kind === "method")
        return [
          {
            kind: "function",
            fn: element.value,
            file,
            env: evaluator.bindings.ofMethod({ kind: "instance", of, env }),
          },
        ];
      return element.kind === "get" ? returnedBy(evaluator, element.value, of, env) : NOTHING;
    }
    if (element.value) return evaluator.of(element.value, file, env);
    const assigned = assignedInConstructor(evaluator, of, env, name);
    if (assigned.length > 0) return assigned;
    const annotation = typeAnnotationOf(element);
    return annotation ? valuesOfType(evaluator, annotation, file, env) : NOTHING;
  }
  const made = assignedInConstructor(evaluator, of, env, name);
  return made.length > 0 ? made : inherited(evaluator, of, env, name);
}

function returnedBy(evaluator: Evaluator, getter: Node, { file }: ClassValue, env: Env | undefined): readonly Value[] {
  const found: Value[] = [];
  walkFunction(getter, (node) => {
    if (node.type === "ReturnStatement" && node.argument) found.push(...evaluator.of(node.argument, file, env));
  });
  return found;
}

/** `this.name = …` in the constructor, and parameters that are properties. */
function assignedInConstructor(
  evaluator: Evaluator,
  { node, file }: ClassValue,
  env: Env | undefined,
  name: string,
): readonly Value[] {
  const builder = constructorOf(node);
  if (!builder?.body) return NOTHING;
  for (const parameter of builder.params) {
    if (parameter.type !== "TSParameterProperty") continue;
    const target = parameter.parameter.type === "AssignmentPattern" ? parameter.parameter.left : parameter.parameter;
    if (target.type === "Identifier" && target.name === name) return evaluator.of(target, file, env);
  }
  const found: Value[] = [];
  walkFunction(builder.body, (inner) => {
    if (inner.type !== "AssignmentExpression") return;
    const left = unwrap(inner.left);
    if (left.type === "MemberExpression" && left.object.type === "ThisExpression" && memberName(left) === name) {
      found.push(...evaluator.of(inner.right, file, env));
    }
  });
  return found;
}

function inherited(
  evaluator: Evaluator,
  { node, file, env: around }: ClassValue,
  env: Env | undefined,
  name: string,
): readonly Value[] {
  if (!node.superClass) return NOTHING;
  return evaluator.of(node.superClass, file, around).flatMap((parent) => {
    if (parent.kind === "class") return ofInstance(evaluator, parent, env, name);
    return parent.kind === "external" ? [extended(extended(parent, "new"), name)] : NOTHING;
  });
}

function ofClass(evaluator: Evaluator, value: ClassValue, name: string): readonly Value[] {
  const { node, file, env } = value;
  for (const element of node.body.body) {
    if (element.type !== "MethodDefinition" && element.type !== "PropertyDefinition") continue;
    if (!element.static || keyName(element.key, element.computed) !== name) continue;
    if (element.type === "MethodDefinition") return [{ kind: "function", fn: element.value, file, env }];
    return element.value ? evaluator.of(element.value, file, env) : NOTHING;
  }
  return NOTHING;
}
