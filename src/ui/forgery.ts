/**
 * How a decision is told from a request that another site made a browser send. A browser adds cookies to both, and says
 * where a request comes from; scripts cannot change that. A form also carries a token that only our own page shows: it is
 * good for one person, one approval and the action that was shown.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Approval } from "../nodes/approval.js";
import { Refused } from "./refused.js";

/** @throws Refused when a browser says that another site sent this */
export function refuseOtherSites(request: Request, origin: string | undefined): void {
  const site = request.headers.get("sec-fetch-site");
  const from = request.headers.get("origin");
  const own = origin ?? new URL(request.url).origin;
  // Plain http to another host than localhost comes without sec-fetch-site.
  const foreign = site === null ? from !== null && hostOf(from) !== hostOf(own) : site !== "same-origin";
  if (!foreign) return;
  throw new Refused(
    403,
    "OTHER_SITE",
    "Another site sent this, so nothing was changed. Behind a proxy that changes the host, say the public `origin`.",
  );
}

/** The token of a form. */
export function tokenFor({ id, actionHash }: Approval, by: string, secret: string): string {
  return createHmac("sha256", secret)
    .update(JSON.stringify([id, actionHash, by]))
    .digest("base64url");
}

/** @throws Refused when the form is not one that this person was shown for this approval */
export function refuseForgedForm(token: string | null, approval: Approval, by: string, secret: string): void {
  const expected = Buffer.from(tokenFor(approval, by, secret));
  const given = Buffer.from(token ?? "");
  if (given.length === expected.length && timingSafeEqual(given, expected)) return;
  throw new Refused(403, "STALE_FORM", "This form is from before a restart, or of somebody else. Open the page anew.");
}

/** Undefined for `null`, which a page without an origin sends. */
function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
