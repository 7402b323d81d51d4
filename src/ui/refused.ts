import { InvalidAnswerError } from "../nodes/approval-errors.js";

/** A request that is answered with a refusal; nothing was changed. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    /** Short and stable, for programs. */
    readonly code: string,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/** The refusal that an error stands for; undefined for one that nobody expected. */
export function refusalIn(error: unknown): Refused | undefined {
  if (error instanceof Refused) return error;
  return error instanceof InvalidAnswerError ? new Refused(422, error.code, error.message) : undefined;
}
