import { createRequire } from "node:module";
import { MissingDependencyError } from "./errors.js";

const require = createRequire(import.meta.url);

/**
 * Loads an optional package when a feature needs it, and not before.
 *
 * @throws MissingDependencyError naming the package and the install command.
 */
export function requireOptional<T>(packageName: string, feature: string): T {
  try {
    return require(packageName) as T;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "MODULE_NOT_FOUND") {
      throw new MissingDependencyError(packageName, feature, { cause });
    }
    throw cause;
  }
}
