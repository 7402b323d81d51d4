import { fileURLToPath } from "node:url";

/** Where a call stands in the user's code. */
export interface CallPlace {
  readonly file: string;
  readonly line: number;
}

const FRAME = /\(?((?:file:\/\/)?\/?[^\s()]+?):(\d+):\d+\)?$/;
const INTERNAL = /[\\/]node_modules[\\/](?:@langchain|langchain|langsmith|langgraph-waypoint)[\\/]/;
/** The folder of this package's own code in a path: the last `src` or `dist`. */
const HOME = /^(.*[\\/](?:src|dist)[\\/])/;

/**
 * The nearest place above a call that is nobody's package. Nothing when LangChain, LangGraph or this package made the
 * call for itself.
 */
export function placeOfCall(stack: string): CallPlace | undefined {
  const [own, ...frames] = framesOf(stack);
  const [, home = ""] = HOME.exec(own?.file ?? "") ?? [];
  for (const { file, line } of frames) {
    if (file === own?.file) continue;
    if (INTERNAL.test(file) || (home !== "" && file.startsWith(home))) return undefined;
    if (!/[\\/]node_modules[\\/]/.test(file)) return { file, line };
  }
  return undefined;
}

function framesOf(stack: string): CallPlace[] {
  return stack.split("\n").flatMap((line): CallPlace[] => {
    const [, where, number] = FRAME.exec(line.trim()) ?? [];
    if (where === undefined || number === undefined || where.startsWith("node:")) return [];
    return [{ file: where.startsWith("file://") ? fileURLToPath(where) : where, line: Number(number) }];
  });
}
