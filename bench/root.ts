import { join } from "node:path";

/** The project's root folder. */
export const ROOT = join(import.meta.dirname, "..");
