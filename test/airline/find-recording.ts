import { CannotRunError } from "../../bench/bench.js";
import { dataFile } from "../../bench/data-folder.js";

/** The path of the recording. Where it is missing, one line says what is left out and why; in CI that is a failure. */
export function findRecording(): string | undefined {
  try {
    return dataFile("airline-transcripts.jsonl");
  } catch (error) {
    if (!(error instanceof CannotRunError) || process.env.CI === "true") throw error;
    process.stderr.write(`Airline conversations: ${error.message}\n`);
    return undefined;
  }
}
