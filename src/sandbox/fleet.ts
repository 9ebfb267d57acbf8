import http from 'node:http';
import type net from 'node:net';
import { listenOnAll, loopbackAddress, type Listeners } from './addresses.ts';
import { handleVisit } from './handler.ts';
import { notFoundPage } from './pages.ts';
import { Gauge } from './request-log.ts';
import { SimulatedSite } from './site.ts';
import { tlsServers, type CertificateDefect } from './tls.ts';

export interface FleetOptions {
  /** How many sites. */
  sites: number;
  /** One port for all addresses; 0 (the default) takes any free one. */
  port?: number;
  /** Put the sites on this many addresses, told apart by path; without it each site has its own. */
  ips?: number;
  /** Serve https with a certificate made at start. */
  tls?: boolean;
  /** With `tls` and an address for each site: sites whose certificate is not to be trusted. */
  certificateDefects?: (index: number) => CertificateDefect | undefined;
  /** Milliseconds each answer takes; `site.latencyMs` changes it for one. */
  latencyMs?: number;
  /** The same seed gives the same sites. */
  seed?: number;
  /** Sites already connected: with this public key, dashboard URL and administrator. */
  primedKeys?: (index: number) => { publicKeyPem: string; server: string; admin: string } | undefined;
  /** Requests remembered for each site; by default fewer in larger fleets. */
  requestLog?: number;
  /** Unix milliseconds: the sites' clock. */
  now?: () => number;
}

export interface Fleet {
  sites: SimulatedSite[];
  port: number;
  /** Address of the first site, with a trailing slash. */
  baseUrl: string;
  /** PEM of the good certificates, for a client's `ca`; undefined without `tls`. */
  certificate: string | undefined;
  /** Requests over the whole fleet: `total`, `current` and `highest` at the same time. */
  gauge: Gauge;
  /** Stop listening and cut all connections. */
  close(): Promise<void>;
}

const KEEP_ALIVE_MS = 75_000;
/** The platform gives no other loopback address (macOS), or not as many: then all sites share one. */
const NO_ADDRESS = new Set(['EADDRNOTAVAIL', 'EMFILE', 'ENFILE', 'EACCES']);

export async function startFleet(options: FleetOptions): Promise<Fleet> {
  if (!Number.isInteger(options.sites) || options.sites < 1) throw new RangeError('a fleet has at least one site');
  const wanted = Math.min(options.ips ?? options.sites, options.sites);
  const addresses = Array.from({ length: wanted }, (_, index) => loopbackAddress(index));
  try {
    return await startOn(addresses, options);
  } catch (error) {
    if (!NO_ADDRESS.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return await startOn(['127.0.0.1'], options);
  }
}

async function startOn(addresses: string[], options: FleetOptions): Promise<Fleet> {
  const secure = options.tls === true;
  const gauge = new Gauge();
  const sockets = new Set<net.Socket>();
  const ownAddress = addresses.length === options.sites && options.ips === undefined;
  const placing: Placing = { addresses, byAddress: new Map(), sites: [], ownAddress };
  const serve = (request: http.IncomingMessage, response: http.ServerResponse): void => {
    route(placing, request, response, secure, gauge);
  };
  // HTTP servers that never listen: the listening sockets hand them their connections.
  const tls = secure ? tlsServers(addresses, options.certificateDefects, serve) : undefined;
  const plain = http.createServer(serve);
  const servers = tls === undefined ? [plain] : tls.servers;
  for (const server of servers) server.keepAliveTimeout = KEEP_ALIVE_MS;
  const listeners: Listeners = await listenOnAll(addresses, options.port ?? 0, (socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    (tls?.serverFor(socket.localAddress ?? '') ?? plain).emit('connection', socket);
  });
  addSites(placing, options, listeners.port);
  return {
    sites: placing.sites,
    port: listeners.port,
    baseUrl: placing.sites[0]?.url ?? '',
    certificate: tls?.certificate,
    gauge,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await listeners.close();
    },
  };
}

interface Placing {
  addresses: string[];
  /** The site of an address, where each has its own. */
  byAddress: Map<string, SimulatedSite>;
  sites: SimulatedSite[];
  ownAddress: boolean;
}

function addSites(placing: Placing, options: FleetOptions, port: number): void {
  const scheme = options.tls === true ? 'https' : 'http';
  const logSize = options.requestLog ?? Math.max(2, Math.min(200, Math.floor(20_000 / options.sites)));
  for (let index = 0; index < options.sites; index += 1) {
    const address = placing.addresses[index % placing.addresses.length] ?? '127.0.0.1';
    const path = placing.ownAddress ? '/' : `/site-${index}/`;
    const site = new SimulatedSite({
      index,
      seed: options.seed ?? 1,
      url: `${scheme}://${address}:${port}${path}`,
      latencyMs: options.latencyMs ?? 0,
      logSize,
      now: options.now ?? Date.now,
      primed: options.primedKeys?.(index),
    });
    placing.sites.push(site);
    if (placing.ownAddress) placing.byAddress.set(address, site);
  }
}

function route(
  placing: Placing,
  request: http.IncomingMessage,
  response: http.ServerResponse,
  secure: boolean,
  fleetGauge: Gauge,
): void {
  const [target = '/', query = ''] = (request.url ?? '/').split('?', 2);
  const addresses = placing.ownAddress
    ? { site: placing.byAddress.get(request.socket.localAddress ?? ''), path: target }
    : siteByPath(placing.sites, target);
  if (addresses.site === undefined) {
    response.writeHead(404, { 'content-type': 'text/html; charset=UTF-8' });
    response.end(notFoundPage('No site here'));
    return;
  }
  handleVisit({ site: addresses.site, path: addresses.path, query, request, response, secure, fleetGauge }).catch(
    (error: unknown) => {
      // A client that went away while sending is no mistake of the sandbox; anything else must be seen by who asked.
      if (response.destroyed || response.headersSent) return;
      response.writeHead(500, { 'content-type': 'text/plain' });
      response.end(
        `The sandbox itself failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
    },
  );
}

function siteByPath(sites: SimulatedSite[], target: string): { site: SimulatedSite | undefined; path: string } {
  const match = /^\/site-(\d{1,6})(\/.*)?$/.exec(target);
  return { site: sites[Number(match?.[1] ?? -1)], path: match?.[2] ?? '/' };
}
