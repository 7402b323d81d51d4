import { Refused } from "./refused.js";

/** No decision is longer: the arguments of an edit are as large as one tool call. */
const LONGEST_BODY = 1024 * 1024;

/** The fields of a form. @throws Refused for another kind of body, or one that is too long */
export async function formOf(request: Request): Promise<URLSearchParams> {
  return new URLSearchParams(await textOf(request, "application/x-www-form-urlencoded"));
}

/** A JSON body. @throws Refused for another kind of body, one that is too long, or no JSON */
export async function jsonOf(request: Request): Promise<unknown> {
  const text = await textOf(request, "application/json");
  try {
    return JSON.parse(text);
  } catch {
    throw new Refused(400, "NOT_JSON", "The body is not JSON.");
  }
}

/** A form of another site cannot send `application/json`, and here no other type is taken for it. */
async function textOf(request: Request, type: string): Promise<string> {
  const given = request.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
  if (given !== type) throw new Refused(415, "WRONG_TYPE", `The body must be ${type}.`);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.byteLength;
    if (length > LONGEST_BODY) throw new Refused(413, "TOO_LARGE", `The body is longer than ${LONGEST_BODY} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
