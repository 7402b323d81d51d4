import { closeSync, existsSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { CommandFailure } from "./failure.js";

/**
 * Gives `work` a way to write lines into a new file, which is there when all are: until then they stand beside it, and
 * when `work` fails they are removed. Only its owner may read it.
 *
 * @throws CommandFailure when the file is there already, or cannot be written
 */
export async function withNewFile<T>(file: string, work: (write: (line: string) => void) => Promise<T>): Promise<T> {
  if (existsSync(file)) throw new CommandFailure(`"${file}" is there already. It was not touched.`);
  const partial = `${file}.partial`;
  const handle = opened(partial);
  try {
    const result = await work((line) => writeSync(handle, line)).finally(() => {
      closeSync(handle);
    });
    renameSync(partial, file);
    return result;
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}

function opened(file: string): number {
  try {
    return openSync(file, "wx", 0o600);
  } catch (error) {
    throw new CommandFailure(`"${file}" cannot be written: ${(error as Error).message}.`);
  }
}
