import { InvalidInputError } from "../shared/errors.js";

/** @throws InvalidInputError for what is no share from 0 to 1 */
export function rateOf(name: string, rate: unknown): number {
  if (typeof rate === "number" && rate >= 0 && rate <= 1) return rate;
  throw new InvalidInputError(`${name} must be a share from 0 to 1, such as 0.04; got ${String(rate)}.`);
}

/** @throws InvalidInputError for what is no finite number */
export function seedOf(seed: unknown): number {
  if (typeof seed === "number" && Number.isFinite(seed)) return seed;
  throw new InvalidInputError(`seed must be a number, so that a run can be repeated; got ${String(seed)}.`);
}
