import { hashOf } from "../shared/canonical.js";

/**
 * A number in [0, 1) that depends on nothing but the seed and what it is drawn for: the same whatever else happened
 * before, so that a run is repeated even where its parts race each other.
 */
export function draw(seed: number, ...about: readonly (string | number)[]): number {
  return Number.parseInt(hashOf(JSON.stringify([seed, ...about])).slice(0, 8), 16) / 2 ** 32;
}
