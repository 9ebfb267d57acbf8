import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SETTINGS } from '../../generated/settings.ts';
import { createChildSite, type ConnectorLimits, type Deadlines } from '../../src/connector/index.ts';
import type { ChildLink, Endpoint, KeyPair, WireChildSite } from '../../src/connector/index.ts';
import { createOutbound, type Outbound } from '../../src/outbound/index.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { createLogger } from '../../src/shared/logger.ts';

const { fields } = SETTINGS.advanced;

/** Defaults of the contract. */
export const DEFAULT_LIMITS: Readonly<ConnectorLimits> = {
  maximumRequests: fields.svc_maximum_requests.default,
  minimumDelayMs: fields.svc_minimum_delay.default,
  maximumIpRequests: fields.svc_maximum_ip_requests.default,
  minimumIpDelayMs: fields.svc_minimum_ip_delay.default,
  maximumSyncRequests: fields.svc_maximum_sync_requests.default,
  maximumInstallUpdateRequests: fields.svc_maximum_install_update_requests.default,
  maximumUptimeMonitoringRequests: fields.svc_maximum_uptime_monitoring_requests.default,
};

export const SERVER_URL = 'https://dash.example/wp-admin/';

export interface TestConnector {
  child: WireChildSite;
  outbound: Outbound;
  close(): Promise<void>;
}

export function makeConnector(
  options: {
    limits?: Partial<ConnectorLimits>;
    deadlines?: Partial<Deadlines>;
    now?: () => number;
    rememberEndpoint?: (siteId: number, endpoint: Endpoint) => void;
    lookAtRules?: () => Promise<void>;
  } = {},
): TestConnector {
  const outbound = createOutbound({ allowedNetworks: ['127.0.0.0/8'] });
  const child = createChildSite({
    outbound,
    limits: () => ({ ...DEFAULT_LIMITS, ...options.limits }),
    dashboardVersion: '6.1.2',
    clock: options.now ? { now: options.now } : systemClock,
    logger: createLogger('silent'),
    ...(options.deadlines && { deadlines: options.deadlines }),
    ...(options.rememberEndpoint && { rememberEndpoint: options.rememberEndpoint }),
    ...(options.lookAtRules && { lookAtRules: options.lookAtRules }),
  });
  return { child, outbound, close: () => outbound.close() };
}

export function createLink(url: string, pair: KeyPair, siteId: number | null = 1): ChildLink {
  return {
    siteId,
    url,
    httpAuth: null,
    verifyTls: true,
    admin: 'admin',
    server: SERVER_URL,
    keyId: pair.keyId,
    privateKeyPem: pair.privateKeyPem,
  };
}

export interface ReceivedRequest {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
  form: URLSearchParams;
}

export interface FakeServer {
  url: string;
  port: number;
  requests: ReceivedRequest[];
  /** Number of connections so far. */
  connections: number;
  close(): Promise<void>;
}

/** Starts a real server whose responses the test sets. */
export async function startFakeServer(
  answer: (seen: ReceivedRequest, response: ServerResponse) => void,
  host = '127.0.0.1',
): Promise<FakeServer> {
  const fake: FakeServer = { url: '', port: 0, requests: [], connections: 0, close: async () => {} };
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('error', () => {});
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const { method = '', url: path = '', headers } = request;
      const seen = { method, path, headers, body, form: new URLSearchParams(body) };
      fake.requests.push(seen);
      answer(seen, response);
    });
  });
  server.on('connection', () => (fake.connections += 1));
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  fake.port = (server.address() as AddressInfo).port;
  fake.url = `http://${host}:${fake.port}/`;
  fake.close = () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return fake;
}

/** Returns the error that `work` throws, and fails if there is none. */
export async function thrownBy(work: () => Promise<unknown>): Promise<Error> {
  try {
    await work();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}

/** Reads a recorded response of an unmodified child 6.1. */
export function readRecording(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`recordings/${name}.json`, import.meta.url), 'utf8')) as unknown;
}
