import { describe, expect, it } from "vitest";
import { z } from "zod";
import { decide } from "../../src/nodes/decide.js";
import type { Approval } from "../../src/nodes/approval.js";
import { approvalsRouter } from "../../src/ui/index.js";
import { EVIL, fieldsIn, get, office, ORIGIN, postForm, postJson } from "./support.js";

describe("nobody gets in by default", () => {
  it.each<[string, object, RegExp]>([
    ["without authorize", { authorize: undefined }, /authorize/],
    ["without a ledger", { ledger: undefined }, /ledger/],
    ["with something else as ledger", { ledger: {} }, /ledger/],
    ["with a base path that is none", { basePath: "approvals" }, /basePath/],
    ["with a base path that leads elsewhere", { basePath: "//evil.example" }, /basePath/],
    ["with a secret that can be guessed", { secret: "" }, /secret/],
  ])("a router cannot be made %s", (_, wrong, says) => {
    const { ledger } = office();
    const options = { ledger, authorize: () => Promise.resolve({ by: "ann" }), ...wrong };
    expect(() => approvalsRouter(options as never)).toThrow(says);
  });

  it.each<[string, unknown]>([
    ["undefined", undefined],
    ["null", null],
    ["nobody by name", { by: "" }],
    ["a name that is no text", { by: 7 }],
    ["true", true],
  ])("every path answers 403, and nothing is decided, when authorize says %s", async (_, decider) => {
    const desk = office();
    const { id } = await desk.asks("t", { euros: 5 });
    const router = desk.router({ authorize: () => Promise.resolve(decider as never) });
    const requests = [
      get("/"),
      get("/nothing-here"),
      get(`/approvals/${id}`),
      get("/api/approvals"),
      get(`/api/approvals/${id}`),
      postJson(`/api/approvals/${id}/decision`, { type: "approve" }),
      postForm(`/approvals/${id}`, { decision: "approve" }),
    ];
    for (const request of requests) {
      const response = await router(request);
      expect(response.status).toBe(403);
      expect(await response.text()).not.toContain(id);
    }
    expect(await desk.state(id)).toBe("pending");
  });

  it("an authorize that fails lets nobody in, and is not hidden", async () => {
    const desk = office();
    const { id } = await desk.asks("t", { euros: 5 });
    const router = desk.router({ authorize: () => Promise.reject(new Error("session store down")) });
    const request = postJson(`/api/approvals/${id}/decision`, { type: "approve" });
    await expect(router(request)).rejects.toThrow("session store down");
    expect(await desk.state(id)).toBe("pending");
  });

  it("what somebody may not see is not there for them, in lists and by id", async () => {
    const desk = office();
    const { id } = await desk.asks("of-bob", { euros: 5 });
    const router = desk.router({ visible: ({ threadId }, { by }) => threadId === `of-${by}` });
    expect(await (await router(get("/api/approvals"))).json()).toEqual({ approvals: [] });
    expect(await (await router(get("/"))).text()).not.toContain("of-bob");
    for (const request of [
      get(`/approvals/${id}`),
      get(`/api/approvals/${id}`),
      postJson(`/api/approvals/${id}/decision`, { type: "approve" }),
      postForm(`/approvals/${id}`, { decision: "approve" }),
    ])
      expect((await router(request)).status).toBe(404);
    expect(await desk.state(id)).toBe("pending");
  });
});

describe("the endpoints for programs", () => {
  it("list what waits, of all threads and of one", async () => {
    const desk = office();
    await desk.asks("one", { euros: 1 });
    await desk.asks("two", { euros: 2 });
    const router = desk.router();
    const all = (await (await router(get("/api/approvals"))).json()) as { approvals: Approval[] };
    expect(all.approvals.map(({ threadId }) => threadId)).toEqual(["one", "two"]);
    const one = await (await router(get("/api/approvals?threadId=two"))).json();
    expect(one).toMatchObject({ approvals: [{ threadId: "two", action: "pay", args: { euros: 2 } }] });
  });

  it("decide and wake the graph; the second decision changes nothing and says so", async () => {
    const desk = office();
    const { id } = await desk.asks("t", { euros: 5 });
    const router = desk.router();
    const path = `/api/approvals/${id}/decision`;
    const first = await router(postJson(path, { type: "edit", args: { euros: 4 } }));
    expect(first.status).toBe(200);
    expect(await first.json()).toMatchObject({
      applied: true,
      woken: true,
      approval: { state: "edited", decidedBy: "ann" },
    });
    expect(desk.performed).toEqual([{ euros: 4 }]);
    const second = await router(postJson(path, { type: "reject" }));
    expect(second.status).toBe(409);
    expect(await second.json()).toMatchObject({ applied: false, woken: false, reason: "already-decided" });
    expect(await (await router(get(`/api/approvals/${id}`))).json()).toMatchObject({ approval: { state: "edited" } });
  });

  it("without an app record the decision and wake nobody", async () => {
    const desk = office();
    const { id } = await desk.asks("t", { euros: 5 });
    const response = await desk.router({ app: undefined as never })(
      postJson(`/api/approvals/${id}/decision`, { type: "approve" }),
    );
    expect(await response.json()).toMatchObject({ applied: true, woken: false });
    expect(desk.performed).toEqual([]);
  });

  it("refuse somebody who is no approver, and one who is too late", async () => {
    const bound = office({ approvers: ["bob"] });
    const one = await bound.asks("t", { euros: 5 });
    const foreign = await bound.router()(postJson(`/api/approvals/${one.id}/decision`, { type: "approve" }));
    expect(foreign.status).toBe(403);
    expect(await foreign.json()).toMatchObject({ applied: false, reason: "not-an-approver" });

    const timed = office({ decideWithin: "1h" });
    const two = await timed.asks("t", { euros: 5 });
    timed.clock.advance(3_600_001);
    const late = await timed.router()(postJson(`/api/approvals/${two.id}/decision`, { type: "approve" }));
    expect(late.status).toBe(409);
    expect(await late.json()).toMatchObject({ applied: false, reason: "expired" });
    expect([...bound.performed, ...timed.performed]).toEqual([]);
  });

  it.each<[string, (id: string) => Request, number, string]>([
    [
      "a decision of the wrong shape",
      (id) => postJson(`/api/approvals/${id}/decision`, { type: "yes" }),
      422,
      "INVALID_ANSWER",
    ],
    [
      "a decision on another version",
      (id) => postJson(`/api/approvals/${id}/decision`, { type: "approve", actionHash: "0" }),
      422,
      "INVALID_ANSWER",
    ],
    [
      "a decision that is not allowed",
      (id) => postJson(`/api/approvals/${id}/decision`, { type: "respond", message: "hm" }),
      422,
      "INVALID_ANSWER",
    ],
    ["no JSON", (id) => postJson(`/api/approvals/${id}/decision`, "{"), 400, "NOT_JSON"],
    [
      "another type of body",
      (id) => postJson(`/api/approvals/${id}/decision`, {}, { "content-type": "text/plain" }),
      415,
      "WRONG_TYPE",
    ],
    [
      "a body that is too long",
      (id) => postJson(`/api/approvals/${id}/decision`, `"${"x".repeat(1024 * 1024)}"`),
      413,
      "TOO_LARGE",
    ],
    ["an unknown id", () => postJson("/api/approvals/nobody/decision", { type: "approve" }), 404, "APPROVAL_NOT_FOUND"],
    ["another method", (id) => get(`/api/approvals/${id}/decision`), 405, "WRONG_METHOD"],
    ["a path that is no text", () => get("/api/approvals/%ff"), 404, "NO_SUCH_PAGE"],
  ])("answer %s with an error, and nothing is decided", async (_, request, status, code) => {
    const desk = office();
    const { id } = await desk.asks("t", { euros: 5 });
    const response = await desk.router()(request(id));
    expect(response.status).toBe(status);
    if (code !== "NO_SUCH_PAGE") expect(await response.json()).toMatchObject({ error: { code } });
    expect(await desk.state(id)).toBe("pending");
  });

  it("say that a decision stands when the run that it woke failed, without what the error says", async () => {
    const desk = office();
    const { id } = await desk.asks("t", { euros: 5 });
    const failures: unknown[] = [];
    const broken = () => Promise.reject(new Error("secret 4111"));
    const app = { invoke: broken, getState: broken };
    const router = desk.router({ app, onRunError: (error) => failures.push(error) });
    const response = await router(postJson(`/api/approvals/${id}/decision`, { type: "approve" }));
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({
      applied: true,
      woken: false,
      message: expect.stringMatching(/recorded/) as string,
    });
    expect(text).not.toContain("4111");
    expect(failures).toMatchObject([{ message: "secret 4111" }]);
  });
});

describe("a request that another site made the browser send", () => {
  const SAME = { "sec-fetch-site": "same-origin" };

  it.each<[string, Record<string, string>]>([
    ["says that it is of another site", { "sec-fetch-site": "cross-site" }],
    ["is of a neighbour", { "sec-fetch-site": "same-site" }],
    ["has another origin", { origin: "https://evil.example" }],
    ["hides its origin", { origin: "null" }],
  ])("decides nothing when it %s, even with a good token", async (_, headers) => {
    const desk = office();
    const { id } = await desk.asks("t", { euros: 5 });
    const router = desk.router();
    const fields = fieldsIn(await (await router(get(`/approvals/${id}`))).text());
    const form = await router(postForm(`/approvals/${id}`, { ...fields, decision: "approve" }, headers));
    const json = await router(postJson(`/api/approvals/${id}/decision`, { type: "approve" }, headers));
    expect([form.status, json.status]).toEqual([403, 403]);
    expect(await desk.state(id)).toBe("pending");
  });

  it.each<[string, (fields: Record<string, string>) => Record<string, string>]>([
    ["no token", ({ actionHash = "" }) => ({ actionHash })],
    ["an empty token", (fields) => ({ ...fields, token: "" })],
    ["a token of the same length that is wrong", (fields) => ({ ...fields, token: "A".repeat(fields.token!.length) })],
  ])("decides nothing with %s", async (_, change) => {
    const desk = office();
    const { id } = await desk.asks("t", { euros: 5 });
    const router = desk.router();
    const fields = fieldsIn(await (await router(get(`/approvals/${id}`))).text());
    const response = await router(postForm(`/approvals/${id}`, { ...change(fields), decision: "approve" }, SAME));
    expect(response.status).toBe(403);
    expect(await desk.state(id)).toBe("pending");
  });

  it("a token is good for one person and one approval", async () => {
    const desk = office();
    const [one, two] = [await desk.asks("one", { euros: 1 }), await desk.asks("two", { euros: 1 })];
    const secret = "a secret that is shared";
    const ann = desk.router({ secret });
    const bob = desk.router({ secret, authorize: () => Promise.resolve({ by: "bob" }) });
    const fields = { ...fieldsIn(await (await ann(get(`/approvals/${one.id}`))).text()), decision: "approve" };
    expect((await ann(postForm(`/approvals/${two.id}`, fields))).status).toBe(403);
    expect((await bob(postForm(`/approvals/${one.id}`, fields))).status).toBe(403);
    expect((await desk.router({ secret })(postForm(`/approvals/${one.id}`, fields))).status).toBe(200);
  });

  it("a proxy that changes the host is told apart by the public origin", async () => {
    const desk = office();
    const { id } = await desk.asks("t", { euros: 5 });
    const headers = { origin: "https://public.example" };
    const path = `/api/approvals/${id}/decision`;
    expect((await desk.router()(postJson(path, { type: "approve" }, headers))).status).toBe(403);
    const behind = desk.router({ origin: "https://public.example" });
    expect((await behind(postJson(path, { type: "approve" }, headers))).status).toBe(200);
  });
});

describe("the pages", () => {
  it("escape whatever a model wrote, in every place, and load and run nothing", async () => {
    const desk = office({ action: `pay ${EVIL}`, summary: EVIL, approvers: ["ann", EVIL], planVersion: EVIL });
    const { id } = await desk.asks(`t ${EVIL}`, { [EVIL]: EVIL });
    const router = desk.router();
    for (const path of ["/", `/approvals/${id}`, `/approvals/${encodeURIComponent(EVIL)}`]) {
      const response = await router(get(path));
      const text = await response.text();
      const elements = [...text.matchAll(/<(\w+)/g)].map(([, name]) => name);
      expect(elements).not.toContain("script");
      expect(elements).not.toContain("img");
      expect(text).not.toMatch(/<[^>]*\son\w+=/);
      expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202E\u200B]/u);
      expect(text.match(/<style>/g)).toHaveLength(1);
    }
  });

  it("come with headers that allow nothing, and are kept by nobody", async () => {
    const desk = office();
    const { id } = await desk.asks("t", { euros: 5 });
    for (const path of ["/", `/approvals/${id}`, "/api/approvals", "/nothing-here"]) {
      const { headers } = await desk.router()(get(path));
      const policy = headers.get("content-security-policy")?.split("; ") ?? [];
      expect(policy).toEqual(
        expect.arrayContaining([
          "default-src 'none'",
          "form-action 'self'",
          "frame-ancestors 'none'",
          "base-uri 'none'",
        ]),
      );
      expect(policy.join()).not.toMatch(/unsafe|\*/);
      expect(Object.fromEntries(headers)).toMatchObject({
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "referrer-policy": "same-origin",
      });
    }
  });

  it.each(["", "/approvals", "/desk/approvals/"])(
    "lead to each other below %j, also where a server takes that away",
    async (basePath) => {
      const desk = office();
      const { id } = await desk.asks("t", { euros: 5 });
      const router = desk.router({ basePath });
      const base = basePath.replace(/\/$/, "");
      const inbox = await (await router(get(`${base}/`))).text();
      const link = /href="([^"]+)"/.exec(inbox)?.[1];
      expect(link).toBe(`${base}/approvals/${id}`);
      const page = await router(get(link!));
      expect(page.status).toBe(200);
      const text = await page.text();
      expect(text).toContain(`action="${base}/approvals/${id}"`);
      expect((await router(get(`/approvals/${id}`))).status).toBe(200);
      const done = await router(postForm(link!, { ...fieldsIn(text), decision: "approve" }));
      expect(done.status).toBe(200);
      expect(desk.performed).toEqual([{ euros: 5 }]);
    },
  );

  it("an edit that is no JSON, or not valid, is kept as it was typed and decides nothing", async () => {
    const desk = office({ schema: z.object({ euros: z.number().max(10) }) });
    const { id } = await desk.asks("t", { euros: 5 });
    const router = desk.router();
    const fields = fieldsIn(await (await router(get(`/approvals/${id}`))).text());
    const broken = await router(
      postForm(`/approvals/${id}`, { ...fields, decision: "edit", args: "{ euros: 4 <b> }" }),
    );
    expect(broken.status).toBe(422);
    expect(await broken.text()).toContain("{ euros: 4 &#60;b&#62; }");
    const invalid = await router(postForm(`/approvals/${id}`, { ...fields, decision: "edit", args: '{"euros":11}' }));
    const text = await invalid.text();
    expect(text).toContain("not valid");
    expect(text).toContain("<form");
    expect(await desk.state(id)).toBe("pending");
    const good = await router(postForm(`/approvals/${id}`, { ...fields, decision: "edit", args: '{"euros":9}' }));
    expect(await good.text()).toContain("edited by ann");
    expect(desk.performed).toEqual([{ euros: 9 }]);
  });

  it("show no form to somebody who may not decide, and none when it is decided or too late", async () => {
    const bound = office({ approvers: ["bob"] });
    const one = await bound.asks("t", { euros: 5 });
    expect(await (await bound.router()(get(`/approvals/${one.id}`))).text()).not.toContain("<form");

    const timed = office({ decideWithin: "1h" });
    const two = await timed.asks("t", { euros: 5 });
    timed.clock.advance(3_600_001);
    expect(await (await timed.router()(get(`/approvals/${two.id}`))).text()).not.toContain("<form");

    const open = office();
    const three = await open.asks("t", { euros: 5 });
    await decide(open.ledger, three.id, { type: "reject", message: `no ${EVIL}` }, { by: "bob" });
    const text = await (await open.router()(get(`/approvals/${three.id}`))).text();
    expect(text).toContain("rejected by bob");
    expect(text).not.toMatch(/<form|<script|<img/);
  });

  it("say before anybody approves that an approval stands for the whole run", async () => {
    const desk = office({ ask: "once-per-run" });
    const { id } = await desk.asks("t", { euros: 5 });
    for (const path of ["/", `/approvals/${id}`])
      expect(await (await desk.router()(get(path))).text()).toContain("every later &#34;pay&#34; of this run");
  });

  it("a form that was sent twice decides once, and says so", async () => {
    const desk = office();
    const { id } = await desk.asks("t", { euros: 5 });
    const router = desk.router();
    const fields = { ...fieldsIn(await (await router(get(`/approvals/${id}`))).text()), decision: "approve" };
    await router(postForm(`/approvals/${id}`, fields));
    const again = await router(postForm(`/approvals/${id}`, fields));
    expect(again.status).toBe(409);
    expect(await again.text()).toContain("Nothing was changed");
    expect(desk.performed).toHaveLength(1);
  });

  it("answer HEAD without a body, and say which methods there are", async () => {
    const desk = office();
    const head = await desk.router()(new Request(`${ORIGIN}/`, { method: "HEAD" }));
    expect([head.status, await head.text()]).toEqual([200, ""]);
    const wrong = await desk.router()(new Request(`${ORIGIN}/`, { method: "DELETE" }));
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET"]);
  });
});
