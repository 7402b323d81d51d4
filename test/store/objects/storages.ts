import { createStorage } from "unstorage";
import type { Driver, Storage } from "unstorage";
import fsDriver from "unstorage/drivers/fs";
import memoryDriver from "unstorage/drivers/memory";

// The declarations of the drivers name their type in a way that TypeScript does not resolve.

export function memoryStorage(): Storage {
  return createStorage({ driver: memoryDriver() as Driver });
}

export function folderStorage(base: string, options: { readOnly?: boolean } = {}): Storage {
  return createStorage({ driver: fsDriver({ base, ...options }) as Driver });
}
