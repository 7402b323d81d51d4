import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { seededRandom } from "../random.js";

/** How many files are nodes that ask; the others are services, shapes and helpers, as in a real project. */
const NODES = 0.15;
/** One unsafe node in so many. */
const UNSAFE_EACH = 3;

/** What a written project holds, so that the figures cannot be those of an audit that found nothing. */
export interface WrittenProject {
  readonly files: number;
  readonly questions: number;
  readonly unsafe: number;
}

/** Writes a project of TypeScript files that import each other; the same seed gives the same project. */
export function writeProject(folder: string, files: number, seed: number): WrittenProject {
  const random = seededRandom(seed);
  const nodes = Math.max(1, Math.round(files * NODES));
  const helpers = files - nodes;
  for (let index = 0; index < helpers; index += 1) write(folder, helperFile(index, helpers, random));
  let unsafe = 0;
  for (let index = 0; index < nodes; index += 1) {
    const isUnsafe = index % UNSAFE_EACH === 0;
    if (isUnsafe) unsafe += 1;
    write(folder, nodeFile(index, Math.floor(random() * Math.max(1, helpers)), isUnsafe));
  }
  return { files, questions: nodes, unsafe };
}

interface Written {
  readonly name: string;
  readonly text: string;
}

function write(folder: string, { name, text }: Written): void {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const FUNCTIONS = 12;

function helperFile(index: number, helpers: number, random: () => number): Written {
  const other = Math.floor(random() * helpers);
  const bodies = Array.from({ length: FUNCTIONS }, (_, fn) => helperFunction(index, fn, other, random));
  return {
    name: `services/group-${index % 20}/service-${index}.ts`,
    text: `import { appendFile } from "node:fs/promises";
import { shape0 as other } from "../group-${other % 20}/service-${other}.js";

export interface Order${index} {
  readonly id: string;
  readonly lines: readonly { readonly sku: string; readonly cents: number }[];
}

${bodies.join("\n\n")}

export async function record${index}(order: Order${index}): Promise<void> {
  await appendFile("orders.log", JSON.stringify(order));
}
`,
  };
}

function helperFunction(index: number, fn: number, other: number, random: () => number): string {
  const limit = Math.floor(random() * 1000);
  const inner = fn > 0 ? `shape${fn - 1}(order)` : other === index ? "order.lines.length" : "other(order)";
  return `export function shape${fn}(order: Order${index}): number {
  let total = 0;
  for (const { sku, cents } of order.lines) {
    if (sku.startsWith("x-")) continue;
    total += cents > ${limit} ? cents : cents * 2;
  }
  return total > ${limit} && order.id !== "" ? total : Number(${inner});
}`;
}

function nodeFile(index: number, service: number, isUnsafe: boolean): Written {
  const before = isUnsafe ? `  await record${service}(state.order);\n` : "";
  const after = isUnsafe ? "" : `  if (approved) await record${service}(state.order);\n`;
  return {
    name: `nodes/node-${index}.ts`,
    text: `import { interrupt } from "@langchain/langgraph";
import { record${service}, shape3 } from "../services/group-${service % 20}/service-${service}.js";
import type { Order${service} } from "../services/group-${service % 20}/service-${service}.js";

export async function node${index}(state: { order: Order${service} }) {
  const total = shape3(state.order);
${before}  const approved = interrupt<unknown, boolean>({ question: "Record it?", total });
${after}  return { approved };
}
`,
  };
}
