/** The standard `Request` and `Response` on Node's own server. Hono, Next.js, Deno and Bun hand them over as they are. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { once } from "node:events";
import type { AddressInfo } from "node:net";

export interface Served {
  readonly origin: string;
  close(): Promise<void>;
}

/** Serves a handler on this machine alone. */
export async function serve(handle: (request: Request) => Promise<Response>, port = 0): Promise<Served> {
  const server = createServer((incoming, outgoing) => {
    respond(handle, incoming, outgoing).catch((error: unknown) => {
      console.error(error);
      outgoing.writeHead(500).end();
    });
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const { port: given } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${given}`, close: () => closed(server) };
}

async function respond(
  handle: (request: Request) => Promise<Response>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const response = await handle(requestFrom(incoming));
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.end(Buffer.from(await response.arrayBuffer()));
}

function requestFrom(incoming: IncomingMessage): Request {
  const { method = "GET", url = "/", headers } = incoming;
  const given = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  );
  const body = method === "GET" || method === "HEAD" ? {} : { body: Readable.toWeb(incoming), duplex: "half" as const };
  return new Request(`http://${headers.host ?? "127.0.0.1"}${url}`, { method, headers: given, ...body });
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, "close");
}
