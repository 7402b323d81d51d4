import { randomBytes } from "node:crypto";
import type { Approval } from "../nodes/approval.js";
import { Ledger } from "../nodes/ledger.js";
import type { ResumableGraph } from "../nodes/resume.js";
import { InvalidInputError } from "../shared/errors.js";
import { refuseOtherSites } from "./forgery.js";
import { HANDLERS, type Call, type Decider, type Desk } from "./handlers.js";
import { Refused, refusalIn } from "./refused.js";
import { jsonRefusal, pageRefusal } from "./responses.js";
import { routeOf, type Route } from "./routes.js";

export interface ApprovalsRouterOptions {
  readonly ledger: Ledger;
  /** The graph that a decision wakes. Without it a decision is recorded, and whoever runs the graph calls `resume()`. */
  readonly app?: ResumableGraph;
  /** Who sends this request, from your session or token; undefined for nobody, who then sees and does nothing. */
  readonly authorize: (request: Request) => Promise<Decider | undefined>;
  /** Which approvals this person may see and decide; default: all of the ledger's tenant. */
  readonly visible?: (approval: Approval, decider: Decider) => boolean;
  /** The path under which the router is mounted, such as `/approvals`; links begin with it. */
  readonly basePath?: string;
  /** The public origin, such as `https://desk.example.com`, where a proxy hides it from the request's URL. */
  readonly origin?: string;
  /** Signs the forms: the same text in each process that serves them. Default: made anew at start. */
  readonly secret?: string;
  /** Told what a run threw that a decision woke; default: a process warning. */
  readonly onRunError?: (error: unknown, approval: Approval) => void;
}

/**
 * An inbox for approvals, as one function from `Request` to `Response`: JSON endpoints, and pages that need no script.
 *
 * - Nobody gets in whom `authorize` does not name; it is asked before anything else, for every request.
 * - What a model, a tool or a person wrote is escaped wherever it is shown. The pages load nothing, run no script, and
 *   cannot be framed.
 * - A decision that another site made the browser send is refused: by where the browser says it comes from, and by a token
 *   in each form. It decides on what was shown: the form carries the action's hash.
 * - Decisions are those of `decide()`: a late, duplicate, expired or foreign one changes nothing and says why.
 *
 * `GET /` is the inbox, `GET` and `POST /approvals/:id` one approval. For programs there are `GET /api/approvals` (with
 * `?threadId=`), `GET /api/approvals/:id`, and `POST /api/approvals/:id/decision` with a `DecisionInput` as JSON.
 *
 * @param options see `ApprovalsRouterOptions`; `ledger` and `authorize` have to be there
 * @returns the handler; it rejects only with what `authorize` or `visible` throw, and nothing was done then
 * @throws InvalidInputError without a ledger or `authorize`, for a `basePath` that is no path, or a short `secret`
 * @example
 * const router = approvalsRouter({ ledger: ledgerOf(saver), app, authorize: async (request) => userOf(request) });
 * server.all("/approvals/*", (c) => router(c.req.raw)); // Hono, with basePath: "/approvals"
 */
export function approvalsRouter(options: ApprovalsRouterOptions): (request: Request) => Promise<Response> {
  const desk = checked(options);
  return async (request) => {
    const route = routeOf(new URL(request.url).pathname, desk.basePath);
    try {
      const decider = await deciderOf(options, request);
      if (request.method === "POST") refuseOtherSites(request, options.origin);
      return await answer({ desk, request, decider }, route);
    } catch (error) {
      const refusal = refusalIn(error);
      if (refusal === undefined) throw error;
      return route?.isApi === true ? jsonRefusal(refusal) : pageRefusal(refusal);
    }
  };
}

function checked(options: ApprovalsRouterOptions): Desk {
  const { ledger, authorize, basePath = "", secret } = options as Partial<ApprovalsRouterOptions>;
  if (!Ledger.is(ledger)) {
    throw new InvalidInputError("approvalsRouter needs a ledger: ledgerOf(checkpointer) or memoryLedger().");
  }
  if (typeof authorize !== "function") {
    throw new InvalidInputError(
      "approvalsRouter needs `authorize`, which says who sends a request; without it anybody could decide.",
    );
  }
  if (!/^(\/[\w.~-]+)*\/?$/.test(basePath)) {
    throw new InvalidInputError(
      `The basePath of approvalsRouter must be a path such as "/approvals"; got "${basePath}".`,
    );
  }
  if (secret !== undefined && secret.length < SHORTEST_SECRET) {
    throw new InvalidInputError(`The secret of approvalsRouter needs at least ${SHORTEST_SECRET} characters.`);
  }
  return {
    ledger,
    app: options.app,
    basePath: basePath.replace(/\/$/, ""),
    secret: secret ?? randomBytes(32).toString("base64"),
    visible: options.visible ?? (() => true),
    onRunError: options.onRunError ?? warn,
  };
}

const SHORTEST_SECRET = 16;

function warn(error: unknown, { id, threadId }: Approval): void {
  process.emitWarning(
    `The decision on approval "${id}" is recorded, but the run that it woke on thread "${threadId}" failed: ` +
      `${error instanceof Error ? error.message : String(error)}. Continue it with resume(app, config).`,
    { code: "WAYPOINT_RUN_FAILED" },
  );
}

/** @throws Refused unless `authorize` names somebody */
async function deciderOf({ authorize }: ApprovalsRouterOptions, request: Request): Promise<Decider> {
  const decider = await authorize(request);
  if (typeof decider?.by === "string" && decider.by !== "") return decider;
  throw new Refused(403, "NOT_ALLOWED", "You may not do this.");
}

async function answer(call: Call, route: Route | undefined): Promise<Response> {
  if (route === undefined) throw new Refused(404, "NO_SUCH_PAGE", "There is no such page.");
  const { method } = call.request;
  const wanted = route.methods.find((candidate) => candidate === (method === "HEAD" ? "GET" : method));
  if (wanted === undefined) {
    throw new Refused(405, "WRONG_METHOD", `This takes ${route.methods.join(" and ")}.`, {
      allow: route.methods.join(", "),
    });
  }
  const response = await HANDLERS[route.name](call, route.id, wanted);
  return method === "HEAD" ? new Response(null, response) : response;
}
