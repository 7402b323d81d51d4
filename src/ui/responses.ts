import { html, type Markup } from "./html.js";
import type { Refused } from "./refused.js";
import { CONTENT_POLICY, STYLE_ELEMENT } from "./style.js";

/** With every answer, whatever it is. The referrer stays on this origin: without one, browsers hide a form's origin. */
const HEADERS = {
  "content-security-policy": CONTENT_POLICY,
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
} as const;

export function jsonResponse(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  const type = { "content-type": "application/json; charset=utf-8" };
  return new Response(`${JSON.stringify(value)}\n`, { status, headers: { ...HEADERS, ...type, ...headers } });
}

export function pageResponse(title: string, body: Markup, status = 200): Response {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        ${STYLE_ELEMENT}
      </head>
      <body>
        <main>${body}</main>
      </body>
    </html> `;
  const headers = { ...HEADERS, "content-type": "text/html; charset=utf-8" };
  return new Response(page.text, { status, headers });
}

export function jsonRefusal({ status, code, message, headers }: Refused): Response {
  return jsonResponse({ error: { code, message } }, status, headers);
}

export function pageRefusal({ status, message, headers }: Refused): Response {
  const response = pageResponse(
    "Not done",
    html`<h1>Not done</h1>
      <p>${message}</p>`,
    status,
  );
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}
