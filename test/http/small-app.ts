import { ALL_SITES, scopeWithin } from '../../src/shared/site-scope.ts';
import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp, type AppDeps } from '../../src/service/app.ts';
import { operationsOf, type Contract } from '../../src/contract/index.ts';
import { HttpMetrics } from '../../src/http/metrics.ts';
import type { Surface } from '../../src/http/pipeline.ts';
import { HttpServer } from '../../src/http/server.ts';
import type { CredentialCheck } from '../../src/http/ports.ts';
import type { Caller } from '../../src/shared/caller.ts';
import {
  permissionsInScope,
  permissionsOfBuiltInRole,
  type BuiltInRole,
  type Scope,
} from '../../src/shared/permissions.ts';
import { createLogger } from '../../src/shared/logger.ts';
import { abilityErrorDialect } from '../../src/surfaces/abilities/errors.ts';
import { createDocuments } from '../../src/surfaces/documents.ts';
import { v2ErrorDialect } from '../../src/surfaces/v2/errors.ts';
import { noteLogLine } from '../support/service-errors.ts';
import { smallAbilities, smallRoutes } from './small-contract.ts';

export const FIXED_TIME = 1_795_000_000_000;

const caller = (credential: string, role: BuiltInRole, scope: Scope): Caller => ({
  userId: 1,
  name: credential,
  role,
  scope,
  permissions: permissionsInScope(permissionsOfBuiltInRole(role), scope),
  sites: ALL_SITES,
  credential,
  keyId: null,
});
const PASSWORDS: Record<string, Caller> = {
  'admin:secret': caller('password:1', 'administrator', 'read_write'),
  'viewer:secret': caller('password:2', 'viewer', 'read_write'),
  'nobody:secret': { ...caller('password:3', 'viewer', 'read_write'), role: 'nothing', permissions: new Set() },
};
const KEYS: Record<string, Caller> = {
  full: caller('key:1', 'administrator', 'read_write'),
  reads: caller('key:2', 'administrator', 'read'),
  writes: caller('key:3', 'administrator', 'write'),
  limited: {
    ...caller('key:4', 'administrator', 'read_write'),
    sites: scopeWithin([{ clients: [], tags: [], sites: [] }]),
  },
};
const credentials: CredentialCheck = {
  byPassword: async (user, password) => PASSWORDS[`${user}:${password}`] ?? null,
  byKey: async (key) => KEYS[key] ?? null,
  isStillAllowed: () => false,
};

export const basic = (user: string, password = 'secret'): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
export const bearer = (key: string): string => `Bearer ${key}`;

export interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  // The body differs by operation.
  // oxlint-disable-next-line typescript/no-explicit-any
  json: any;
}

export interface RequestOptions {
  /** Authorization header. Default: the administrator. Null sends none. */
  as?: string | null;
  headers?: Record<string, string>;
  /** A string is sent unchanged, other values as JSON. */
  body?: unknown;
}

export interface SmallApp {
  url: string;
  logs: { msg: string; [field: string]: unknown }[];
  /** IDs of the operations whose handler was called. */
  handledOperations: string[];
  clock: { time: number; now(): number };
  call(method: string, path: string, asking?: RequestOptions): Promise<Reply>;
  warmUp(): Promise<void>;
  close(): Promise<void>;
}

export interface SmallAppOptions extends Partial<Omit<AppDeps, 'surfaces'>> {
  /** Replace the default handlers, which return their input. */
  handlers?: Record<string, unknown>;
  fieldNames?: Surface['fieldNames'];
  siteOf?: Surface['resolveSite'];
  contracts?: { abilities?: Contract; routes?: Contract };
}

function echoSurface(
  contract: Contract,
  dialect: Surface['dialect'],
  reached: string[],
  own: Record<string, unknown>,
): Surface {
  const handlers: Record<string, unknown> = {};
  for (const { id, item } of operationsOf(contract)) {
    const answer = item['x-ability']
      ? async (input: unknown) => (reached.push(id), { input })
      : async ({ path, query, body }: Record<string, unknown>) => (
          reached.push(id),
          { status: 200, body: id === 'abilities_list' ? [] : { path, query, body } }
        );
    handlers[id] = own[id] ?? answer;
  }
  return { contract, dialect, handlers };
}

/** Starts one app for a suite. */
export function withSmallApp(take: (app: SmallApp) => void, options?: SmallAppOptions): void {
  let app: SmallApp;
  before(async () => take((app = await startSmallApp(options))));
  after(() => app.close());
}

/** Starts the real middleware with two small contracts on a real port. */
export async function startSmallApp({
  handlers = {},
  fieldNames = {},
  siteOf = async (id) => ({ id }),
  contracts = {},
  ...parts
}: SmallAppOptions = {}): Promise<SmallApp> {
  const logs: SmallApp['logs'] = [];
  const reached: string[] = [];
  const clock = { time: FIXED_TIME, now: () => clock.time };
  const logger = createLogger('info', {
    write: (line: string) => {
      logs.push(JSON.parse(line) as SmallApp['logs'][0]);
      noteLogLine(line);
    },
  });
  const { app, warmUp } = createApp({
    surfaces: [
      {
        ...echoSurface(contracts.abilities ?? smallAbilities(), abilityErrorDialect, reached, handlers),
        fieldNames,
        resolveSite: siteOf,
      },
      {
        ...echoSurface(contracts.routes ?? smallRoutes(), v2ErrorDialect, reached, handlers),
        fieldNames,
        resolveSite: siteOf,
      },
    ],
    credentials,
    credentialLimits: { allowsAddress: () => true, callsPerMinute: () => null },
    usage: { record: () => undefined },
    modules: { isActive: async () => true },
    idempotencyStore: {
      claim: async () => ({ kind: 'mine', id: '' }),
      settle: async () => undefined,
      abandon: async () => undefined,
    },
    mcp: null,
    documents: createDocuments('http://sitefleet.test'),
    sharedReports: { open: () => Promise.resolve(null), policy: "default-src 'none'" },
    openPackage: () => Promise.resolve(null),
    metrics: new HttpMetrics(),
    readiness: async () => ({ ready: true, reasons: {} }),
    logger,
    clock,
    trustProxy: false,
    corsOrigins: [],
    loginFailureLimit: 0,
    rateLimit: 0,
    responseChecks: 'refuse',
    translation: null,
    ...parts,
  });
  const http = new HttpServer(parts.logger ?? logger);
  http.serve(app);
  const { server } = http;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    logs,
    handledOperations: reached,
    clock,
    call: (method, path, asking) => call(url, method, path, asking),
    warmUp,
    close: async () => {
      if (!server.listening) return;
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Sends the path unchanged: brackets are not encoded. */
async function call(
  url: string,
  method: string,
  path: string,
  { as = basic('admin'), headers = {}, body }: RequestOptions = {},
): Promise<Reply> {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const { hostname, port } = new URL(url);
  const request = httpRequest({
    host: hostname,
    port,
    method,
    path,
    headers: {
      ...(as === null ? {} : { authorization: as }),
      ...(text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      ...headers,
    },
  });
  request.end(text);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const answer = Buffer.concat(chunks).toString('utf8');
  const isJson = response.headers['content-type']?.includes('application/json') === true && answer !== '';
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: answer,
    json: isJson ? (JSON.parse(answer) as unknown) : undefined,
  };
}
