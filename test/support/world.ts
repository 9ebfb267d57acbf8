import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import qs from 'qs';
import type supertest from 'supertest';
import { readConfig, type Config } from '../../src/platform/config.ts';
import { createContainer, type Container, type Overrides } from '../../src/service/container.ts';
import { startFleet, type Fleet, type FleetOptions, type SimulatedSite } from '../../src/sandbox/index.ts';
import { HttpServer } from '../../src/http/server.ts';
import { createLogger } from '../../src/shared/logger.ts';
import { checkResponse } from './contract-check.ts';
import { openTestDatabase, recordStatements } from './database.ts';
import { pooledKeyPairs } from './key-pool.ts';
import { loggedErrors, noteLogLine } from './service-errors.ts';

/** Caller of a request. */
export type Identity = 'admin' | 'viewer' | 'reader' | 'writer' | 'nobody';

export interface WorldOptions {
  /** Number of simulated sites. Default: 0. */
  sites?: number;
  /** Number of sites that are connected and synced at the start. Default: all. */
  connect?: number;
  fleet?: Partial<FleetOptions>;
  env?: Record<string, string>;
  overrides?: Overrides;
}

export interface CallOptions {
  as?: Identity;
  /** Expected status. Default: 200. */
  expect?: number;
  method?: 'GET' | 'POST' | 'DELETE';
  headers?: Record<string, string>;
}

// Bodies differ by operation. The contract check has already seen them.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

export interface WorldResponse<T = Json> {
  status: number;
  headers: IncomingHttpHeaders;
  body: T;
}

/** A service with a real port, a real database and a simulated fleet. */
export class World {
  readonly url: string;
  readonly container: Container;
  readonly fleet: Fleet;
  readonly logLines: string[];
  readonly #close: () => Promise<void>;
  readonly authorizations: Readonly<Record<Identity, string | null>>;
  /** IDs of the managed sites in the order of `fleet.sites`. */
  readonly siteIds: number[] = [];

  constructor(parts: {
    url: string;
    container: Container;
    fleet: Fleet;
    logLines: string[];
    authorizations: Record<Identity, string | null>;
    close: () => Promise<void>;
  }) {
    this.url = parts.url;
    this.container = parts.container;
    this.fleet = parts.fleet;
    this.logLines = parts.logLines;
    this.authorizations = parts.authorizations;
    this.#close = parts.close;
  }

  /** Sends a request, and checks the response against the contract. */
  async request<T = Json>(
    method: string,
    path: string,
    { as = 'admin', expect = 200, headers = {}, body }: CallOptions & { body?: unknown } = {},
  ): Promise<WorldResponse<T>> {
    const authorization = this.authorizations[as];
    const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await send(new URL(path, this.url), method, text, {
      ...(authorization ? { authorization } : {}),
      ...(text === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    });
    const parsed = parseBody(answer);
    const cause = answer.status >= 500 ? loggedErrors() : '';
    assert.equal(answer.status, expect, `${method} ${path}: ${answer.text.slice(0, 1500)}${cause}`);
    checkResponse(method, path, answer.status, parsed, answer.headers);
    return { status: answer.status, headers: answer.headers, body: parsed as T };
  }

  /** Runs an ability with its main verb, or with the given one. */
  async ability<T = Json>(name: string, input?: unknown, options: CallOptions = {}): Promise<T> {
    const path = `/abilities/v1/svc/${name}/run`;
    const method = options.method ?? (READ_BY_GET.test(name) ? 'GET' : 'POST');
    if (method === 'POST') {
      const body = input === undefined ? {} : { body: { input } };
      return (await this.request<T>('POST', path, { ...options, ...body })).body;
    }
    const query =
      input === undefined ? '' : `?${qs.stringify({ input }, { arrayFormat: 'brackets', encodeValuesOnly: true })}`;
    return (await this.request<T>(method, path + query, options)).body;
  }

  /** Returns an agent for requests whose status the test checks. */
  agent(as: Identity = 'admin'): ReturnType<typeof supertest.agent> {
    // Loaded on demand, because few files use it.
    const { agent: agentOf } = createRequire(import.meta.url)('supertest') as typeof supertest;
    const agent = agentOf(this.url);
    const authorization = this.authorizations[as];
    return authorization === null ? agent : agent.set({ authorization });
  }

  site(index: number): SimulatedSite {
    const site = this.fleet.sites[index];
    assert.ok(site, `The fleet has no site ${index}.`);
    return site;
  }

  siteId(index: number): number {
    const id = this.siteIds[index];
    assert.ok(id !== undefined, `Site ${index} is not managed.`);
    return id;
  }

  /** Connects a simulated site. Returns its ID. */
  async connect(index: number): Promise<number> {
    const { url, admin, adminPassword } = this.site(index);
    const { id } = await this.container.services.sites.sites.add({ url, admin, password: adminPassword }, 'test');
    this.siteIds[index] = id;
    return id;
  }

  /** Prepares the next site with `furnish`, and connects it. `made` is the result of `furnish`. */
  async freshSite<T>(furnish: (site: SimulatedSite) => T): Promise<{ id: number; site: SimulatedSite; made: T }> {
    // The index is reserved first, because some tests run this concurrently.
    const index = this.siteIds.push(0) - 1;
    const site = this.site(index);
    const made = furnish(site);
    return { id: await this.connect(index), site, made };
  }

  /** Gives the site an address where nobody listens. A call then fails before it is sent. */
  async closeAddress(id: number): Promise<void> {
    await this.container.database.knex('sites').where({ id }).update({ url: 'http://127.255.0.1:40404/' });
  }

  /** Waits for a job. Returns it with its items, which are only read at the end because that takes longer. */
  async finishedJob(jobId: string, timeoutMs = 240_000): Promise<Json> {
    const until = Date.now() + timeoutMs;
    const path = `/api/v2/jobs/${jobId}`;
    for (let pauseMs = 5; ; pauseMs = Math.min(50, 2 * pauseMs)) {
      const { body } = await this.request('GET', `${path}?per_page=1`);
      if (body.data.completed_at !== null) break;
      assert.ok(Date.now() < until, `Job ${jobId} did not end: ${JSON.stringify(body.data)}`);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    return (await this.request('GET', `${path}?per_page=500`)).body;
  }

  /** Counts the SQL statements of the requests in `work`, without those of the service's own loops. */
  async countStatements(work: () => Promise<unknown>): Promise<number> {
    return (await this.statementsOf(work)).length;
  }

  /** Returns the texts of these statements in their order. */
  async statementsOf(work: () => Promise<unknown>): Promise<string[]> {
    const sent = await recordStatements(this.container.database.knex, work, () => !outOfRequest.getStore());
    return sent.filter((sql) => !OF_ANY_REQUEST.some((pattern) => pattern.test(sql)));
  }

  close(): Promise<void> {
    return this.#close();
  }
}

/** True in the loops and timers that begin with the start of a service. Requests come from outside. */
const outOfRequest = new AsyncLocalStorage<boolean>();

/**
 * Statements that run with any request: once a minute the use of a credential, once in five seconds the credential,
 * and once a second the modules.
 */
const OF_ANY_REQUEST = [
  /^update .(api_keys|application_passwords). set .last_used_at./,
  /^select .* from .(api_keys|application_passwords). .*hash. = \?/,
  /^select .slug., .active., .updated_at. from .modules.$/,
];

/** The abilities whose main verb is GET. */
const READ_BY_GET =
  /^(list-|count-(sites|clients)-v1|get-sites-basic-v1|get-abandoned-(plugins|themes)-v1|get-batch-job-status-v1)/;

export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const { database, close: closeDatabase } = await openTestDatabase();
  const logLines: string[] = [];
  const logger = createLogger('info', {
    write: (line: string) => {
      logLines.push(line);
      noteLogLine(line);
    },
  });
  const http = new HttpServer(logger);
  const { server } = http;
  // On a busy machine, more time than usual can pass between two calls, and the second would fail on a closing socket.
  server.keepAliveTimeout = 120_000;
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const config = testConfig(url, options.env);
  const container = await createContainer(config, {
    database,
    logger,
    keyPairs: pooledKeyPairs(),
    // Schedules would otherwise start during a test that runs at their time of day.
    tickMs: null,
    ...options.overrides,
    // Shorter delays than in production, with the same number of attempts.
    deadlines: { lookAgainMs: [30, 120], pageAgainMs: 20, ...options.overrides?.deadlines },
  });
  const authorizations = await createIdentities(container);
  await outOfRequest.run(true, () => container.start());
  http.serve(container.app);
  const fleet = await startFleet({ sites: Math.max(1, options.sites ?? 0), ...options.fleet });
  const world = new World({
    url,
    container,
    fleet,
    logLines,
    authorizations,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await container.close();
      await fleet.close();
      await closeDatabase();
    },
  });
  const connect = options.connect ?? options.sites ?? 0;
  // Small worlds connect in order, so that IDs follow addresses.
  const side = connect > 16 ? 16 : 1;
  for (let start = 0; start < connect; start += side)
    await Promise.all(
      Array.from({ length: Math.min(side, connect - start) }, (_, offset) => world.connect(start + offset)),
    );
  return world;
}

/** Returns the configuration of a world. A second process of the world needs the same secret key. */
export function testConfig(url: string, env: Record<string, string> = {}): Config {
  return readConfig({
    HOST: '127.0.0.1',
    PORT: '0',
    SITEFLEET_PUBLIC_URL: url,
    // The database is passed as an object, and the key belongs to this world only.
    DATABASE_URL: 'mysql://unused:unused@127.0.0.1:1/unused',
    SITEFLEET_SECRET_KEY: randomBytes(32).toString('base64'),
    SITEFLEET_ALLOWED_NETWORKS: '127.0.0.0/8',
    SITEFLEET_LOGIN_FAILURE_LIMIT: '0',
    // Keeps audits from starting a browser or calling a provider.
    CHROME_PATH: '/nowhere/chromium',
    SITEFLEET_PAGESPEED_URL: 'http://127.255.0.1:40404/',
    SITEFLEET_DIRECTORY_URL: 'http://127.255.0.1:40404/',
    SITEFLEET_PACKAGES_DIR: join(tmpdir(), `sitefleet-packages-${process.pid}`),
    ...env,
  });
}

async function createIdentities({ services }: Container): Promise<Record<Identity, string | null>> {
  const { access } = services.access;
  const admin = await access.createUser({ name: 'admin', role: 'administrator' }, 'test');
  const viewer = await access.createUser({ name: 'viewer', role: 'viewer' }, 'test');
  const basic = async (userId: number, name: string): Promise<string> => {
    const { password } = await access.addPassword(userId, 'test', 'test');
    return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
  };
  const bearer = async (scope: 'read' | 'write'): Promise<string> => {
    const { secret } = await access.keys.create({ userId: admin.id, label: scope, scope, expiresAt: null }, 'test');
    return `Bearer ${secret}`;
  };
  return {
    admin: await basic(admin.id, 'admin'),
    viewer: await basic(viewer.id, 'viewer'),
    reader: await bearer('read'),
    writer: await bearer('write'),
    nobody: null,
  };
}

interface RawAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

async function send(
  url: URL,
  method: string,
  body: string | undefined,
  headers: Record<string, string>,
): Promise<RawAnswer> {
  const request = httpRequest(url, { method, headers });
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(chunks).toString('utf8') };
}

function parseBody({ headers, text }: RawAnswer): unknown {
  return headers['content-type']?.includes('json') && text !== '' ? JSON.parse(text) : text;
}

/** Gives a suite one world for all its tests. */
export function withWorld(options: WorldOptions, take: (world: World) => unknown): void {
  let world: World;
  before(async () => {
    world = await startWorld(options);
    await take(world);
  });
  after(() => world.close());
}
