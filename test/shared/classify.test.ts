import { describe, expect, it } from "vitest";
import { classifyError, ERROR_CLASSES, factsOf, type ErrorClass } from "../../src/shared/classify.js";

const error = (fields: object, message = "x") => Object.assign(new Error(message), fields);

const CASES: readonly (readonly [string, unknown, ErrorClass])[] = [
  ["a reset connection", error({ code: "ECONNRESET" }), "transient"],
  ["fetch failed", new TypeError("fetch failed"), "transient"],
  ["429", error({ status: 429 }), "transient"],
  ["500 in axios", error({ response: { status: 500 } }), "transient"],
  ["a busy database", error({ code: "SQLITE_BUSY" }), "transient"],
  ["text of a rate limit", "Error: Rate limit exceeded, try again later", "transient"],
  ["a timeout", new DOMException("late", "TimeoutError"), "timeout"],
  ["an abort", new DOMException("stop", "AbortError"), "timeout"],
  ["504", error({ status: 504 }), "timeout"],
  ["text of a timeout", "The request timed out after 30s", "timeout"],
  ["400", error({ status: 400 }), "invalid-arguments"],
  ["zod", error({ name: "ZodError" }), "invalid-arguments"],
  ["text of a schema", "Received tool input did not match expected schema", "invalid-arguments"],
  ["403", error({ status: 403 }), "permission"],
  ["EACCES", error({ code: "EACCES" }), "permission"],
  ["text of a permission", "Error: permission denied for table users", "permission"],
  ["402", error({ status: 402 }), "business-refusal"],
  ["404", error({ status: 404 }), "business-refusal"],
  ["text of a refusal", "Error: card declined", "business-refusal"],
  ["an unknown tool", 'Tool "fly" not found.', "unknown-tool"],
  ["langchain's unknown tool", "Error: fly is not a valid tool, try one of [book].", "unknown-tool"],
  ["an overloaded model", error({ status: 529 }), "model-unavailable"],
  ["a model that is not there", error({ lc_error_code: "MODEL_NOT_FOUND" }), "model-unavailable"],
  ["a quota of the model", error({ error: { code: "insufficient_quota" } }), "model-unavailable"],
  ["anything else", new Error("the flux capacitor is empty"), "persistent"],
  ["nothing", undefined, "persistent"],
];

describe("the class of an error", () => {
  it.each(CASES)("%s", (_, thrown, expected) => {
    expect(classifyError(thrown)).toBe(expected);
  });

  it("every class has a case", () => {
    expect(new Set(CASES.map(([, , name]) => name))).toEqual(new Set(ERROR_CLASSES));
  });

  it("is found behind causes, and a cycle of causes ends", () => {
    const inner: Error & { cause?: unknown } = error({ code: "ECONNREFUSED" });
    const outer = new Error("could not book", { cause: inner });
    inner.cause = outer;
    expect(classifyError(outer)).toBe("transient");
    expect(factsOf(outer)).toMatchObject({ name: "Error", codes: ["ECONNREFUSED"] });
  });
});
