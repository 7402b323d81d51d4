import { describe, expect, it } from "vitest";
import { isOutcome, judge, type Verdict } from "../../../src/nodes/outcome.js";

const error = (fields: object, message = "x") => Object.assign(new Error(message), fields);

describe("what an error of run says about the outside world", () => {
  it.each<[string, unknown, Verdict]>([
    ["connection refused", error({ code: "ECONNREFUSED", syscall: "connect" }), "not-sent"],
    ["unknown host", error({ code: "ENOTFOUND", syscall: "getaddrinfo" }), "not-sent"],
    ["no answer while connecting", error({ code: "ETIMEDOUT", syscall: "connect" }), "not-sent"],
    [
      "fetch failed, refused",
      Object.assign(new TypeError("fetch failed"), { cause: error({ code: "ECONNREFUSED", syscall: "connect" }) }),
      "not-sent",
    ],
    ["429", error({ status: 429 }), "not-sent"],
    ["503 that names a time", error({ status: 503, headers: new Headers({ "retry-after": "1" }) }), "not-sent"],
    ["503 that does not", error({ status: 503 }), "ambiguous"],
    ["500", error({ response: { status: 500 } }), "ambiguous"],
    ["504", error({ statusCode: 504 }), "ambiguous"],
    ["408", error({ status: 408 }), "ambiguous"],
    ["409, which may be our own earlier call", error({ status: 409 }), "ambiguous"],
    ["connection reset", error({ code: "ECONNRESET" }), "ambiguous"],
    ["no answer after connecting", error({ code: "ETIMEDOUT", syscall: "read" }), "ambiguous"],
    [
      "refused after a reset, in one aggregate",
      new AggregateError([error({ code: "ECONNRESET" }), error({ code: "ECONNREFUSED", syscall: "connect" })]),
      "ambiguous",
    ],
    ["fetch failed, nothing said", new TypeError("fetch failed"), "ambiguous"],
    ["aborted", new DOMException("stop", "AbortError"), "ambiguous"],
    ["timed out", new DOMException("late", "TimeoutError"), "ambiguous"],
    ["a text that speaks of a timeout", new Error("request timed out"), "ambiguous"],
    ["code that failed on the answer", new TypeError("Cannot read properties of undefined"), "ambiguous"],
    ["an answer that was no JSON", new SyntaxError("Unexpected token <"), "ambiguous"],
    ["an answer that did not validate", error({ name: "ZodError" }), "ambiguous"],
    ["400", error({ status: 400 }), "refused"],
    ["402", error({ status: 402 }), "refused"],
    ["403", error({ status: 403 }), "refused"],
    ["404", error({ status: 404 }), "refused"],
    ["an application's no", new Error("insufficient funds"), "refused"],
    ["a text that was thrown", "no seats left", "refused"],
  ])("%s", (_, thrown, verdict) => {
    expect(judge(thrown).verdict).toBe(verdict);
  });

  it("the effect's own classify overrules it, where it says anything", () => {
    expect(judge(error({ status: 404 }), () => "ambiguous").verdict).toBe("ambiguous");
    expect(judge(error({ status: 404 }), () => undefined).verdict).toBe("refused");
  });

  it("a Retry-After is read in milliseconds, from either kind of headers", () => {
    expect(judge(error({ status: 429, headers: { "Retry-After": "2" } })).retryAfter).toBe(2000);
    expect(judge(error({ response: { status: 429, headers: new Headers({ "Retry-After": "3" }) } })).retryAfter).toBe(
      3000,
    );
    expect(judge(error({ status: 429, headers: { "Retry-After": "soon" } })).retryAfter).toBeUndefined();
  });
});

it.each([undefined, null, "succeeded", { outcome: "done" }, {}])("%j is no outcome of a lookup", (value) => {
  expect(isOutcome(value)).toBe(false);
});
