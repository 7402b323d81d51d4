import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serve, type Served } from "../../examples/approvals-inbox/serve.js";
import { Chromium, findChromium, type Page } from "./chromium.js";
import { EVIL, office } from "./support.js";

const file = findChromium();

it("the browser that these tests need is there", ({ skip }) => {
  skip(file === undefined && process.env.CI === undefined, "Chromium is not installed");
  expect(file).toBeDefined();
});

describe.skipIf(file === undefined)("the inbox in a real browser", () => {
  let browser: Chromium;
  const servers: Served[] = [];

  beforeAll(() => {
    browser = Chromium.start(file!);
  });
  afterAll(async () => {
    await browser.close();
    for (const server of servers) await server.close();
  });

  async function served(handle: (request: Request) => Promise<Response>): Promise<string> {
    const server = await serve(handle);
    servers.push(server);
    return server.origin;
  }

  const textOf = (page: Page): Promise<string> => page.read<string>("document.body.innerText");

  it("is read, decided on and left without any script", async () => {
    const desk = office();
    await desk.asks("invoice 1", { euros: 5, to: "Contoso" });
    await desk.asks("invoice 2", { euros: 7, to: "Contoso" });
    const page = await browser.page({ scripts: false });
    await page.open(await served(desk.router()));
    expect(await textOf(page)).toContain("Waiting for a decision: 2");
    await page.click("article a");
    expect(await textOf(page)).toContain('"euros": 5');
    await page.click('button[value="approve"]');
    expect(await textOf(page)).toContain("Decided. The thread went on.");
    expect(await textOf(page)).toContain("approved by ann");
    expect(desk.performed).toEqual([{ euros: 5, to: "Contoso" }]);

    await page.click("p a");
    expect(await textOf(page)).toContain("Waiting for a decision: 1");
    await page.click("article a");
    await page.fill("textarea", '{ "euros": 6, "to": "Contoso" }');
    await page.click('button[value="edit"]');
    expect(await textOf(page)).toContain("edited by ann");
    expect(desk.performed.at(-1)).toEqual({ euros: 6, to: "Contoso" });
    expect(page.complaints).toEqual([]);
  });

  it("rejects with the reason that was typed", async () => {
    const desk = office();
    await desk.asks("t", { euros: 5 });
    const page = await browser.page({ scripts: false });
    await page.open(await served(desk.router()));
    await page.click("article a");
    await page.fill('input[name="message"]', "too much");
    await page.click('button[value="reject"]');
    expect(await textOf(page)).toMatch(/rejected by ann[^]*too much/);
    expect(desk.performed).toEqual([]);
  });

  it("shows what a model wrote as text, runs none of it, and gives the arguments back as they were", async () => {
    const desk = office({ action: `pay ${EVIL}`, summary: EVIL });
    const args = { [EVIL]: EVIL, list: ["\n\r\t", "\u2028", "</textarea>"] };
    const { id } = await desk.asks(`t ${EVIL}`, args);
    const page = await browser.page();
    const origin = await served(desk.router());
    for (const path of ["/", `/approvals/${id}`]) {
      await page.open(origin + path);
      expect(await page.read("document.title")).not.toBe("owned");
      expect(
        await page.read("document.querySelectorAll('script, img, iframe, object, [onerror], [onfocus]').length"),
      ).toBe(0);
      expect(await textOf(page)).toContain(`<script>document.title = "owned"</script>`);
      expect(await textOf(page)).toContain("\\u{202e}dnuoder\\u{200b}\\x07\\x1b[2J");
    }
    expect(JSON.parse(await page.read<string>("document.querySelector('textarea').value"))).toEqual(args);
    await page.click('button[value="edit"]');
    expect(desk.performed).toEqual([args]);
    expect(page.complaints).toEqual([]);
  });

  it("would not run a script even if one got into the page", async () => {
    const desk = office();
    const router = desk.router();
    const page = await browser.page();
    const origin = await served(async (request) => {
      const { headers, status } = await router(request);
      const body = `<!doctype html><title>ours</title><script>document.title = "owned"</script><body onload="document.title='owned'">
        <img src="/x.png" onerror="document.title='owned'"><style>body { display: none }</style>hello`;
      return new Response(body, { headers, status });
    });
    await page.open(origin);
    expect(await page.read("document.title")).toBe("ours");
    expect(await page.read("getComputedStyle(document.body).display")).toBe("block");
    expect(page.complaints.join()).toContain("Content Security Policy");
  });

  it("takes no form from another site, although the browser sends the cookie, and cannot be framed", async () => {
    const desk = office();
    const { id } = await desk.asks("t", { euros: 5 });
    const seen: { cookie: string | null; status: number }[] = [];
    const cookies = (request: Request) => Promise.resolve(request.headers.has("cookie") ? { by: "ann" } : undefined);
    const router = desk.router({ authorize: cookies });
    const own = await served(async (request) => {
      if (new URL(request.url).pathname === "/sign-in") {
        return new Response("in", { headers: { "set-cookie": "session=1; Path=/" } });
      }
      const response = await router(request);
      if (request.method === "POST") seen.push({ cookie: request.headers.get("cookie"), status: response.status });
      return response;
    });
    const evil = await served((request) => {
      const isFrame = new URL(request.url).pathname === "/frame";
      const body = isFrame
        ? `<iframe src="${own}/approvals/${id}"></iframe>`
        : `<form method="post" action="${own}/approvals/${id}"><input name="decision" value="approve"></form>
           <script>document.forms[0].submit()</script>`;
      return Promise.resolve(new Response(body, { headers: { "content-type": "text/html" } }));
    });
    const page = await browser.page();
    await page.open(`${own}/sign-in`);
    // Another port is another origin, but gets the same cookies; another name is another site.
    await page.loading(() => page.open(evil));
    await page.loading(() => page.open(evil.replace("127.0.0.1", "localhost")));
    expect(seen[0]?.cookie).toBe("session=1");
    expect(seen.map(({ status }) => status)).toEqual([403, 403]);
    await page.open(`${evil}/frame`);
    expect(page.complaints.join()).toMatch(/frame-ancestors|X-Frame-Options/i);
    expect(await desk.state(id)).toBe("pending");
    expect(desk.performed).toEqual([]);
  });
});
