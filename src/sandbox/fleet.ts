import http from 'node:http';
import type net from 'node:net';
import { listenOnAll, loopbackAddress, type Listeners } from './addresses.ts';
import { handleSiteRequest } from './handler.ts';
import { notFoundPage } from './pages.ts';
import { ConcurrencyGauge } from './request-log.ts';
import { SimulatedSite } from './site.ts';
import { tlsServers, type CertificateDefect } from './tls.ts';

export interface FleetOptions {
  sites: number;
  port?: number;
  ips?: number;
  tls?: boolean;
  /** Requires `tls` and one address per site. */
  certificateDefects?: (index: number) => CertificateDefect | undefined;
  latencyMs?: number;
  seed?: number;
  /** Connections that exist from the start: public key, dashboard URL and administrator of a site. */
  primedKeys?: (index: number) => { publicKeyPem: string; server: string; admin: string } | undefined;
  /** Number of requests that each site remembers. Default: 2 to 200, fewer in larger fleets. */
  requestLog?: number;
  now?: () => number;
}

export interface Fleet {
  sites: SimulatedSite[];
  port: number;
  baseUrl: string;
  /** PEM text of the valid certificates, for the TLS option `ca` of a client. Undefined without `tls`. */
  certificate: string | undefined;
  gauge: ConcurrencyGauge;
  close(): Promise<void>;
}

const KEEP_ALIVE_MS = 75_000;
/**
 * Error codes if the machine has only one loopback address (macOS), or cannot open a socket for each address. All sites
 * then share one address.
 */
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
  const gauge = new ConcurrencyGauge();
  const sockets = new Set<net.Socket>();
  const ownAddress = addresses.length === options.sites && options.ips === undefined;
  const placing: SitePlacement = { addresses, byAddress: new Map(), sites: [], ownAddress };
  const serve = (request: http.IncomingMessage, response: http.ServerResponse): void => {
    route(placing, request, response, secure, gauge);
  };
  // These HTTP servers do not listen. The sockets that listen pass their connections to these servers.
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

interface SitePlacement {
  addresses: string[];
  byAddress: Map<string, SimulatedSite>;
  sites: SimulatedSite[];
  ownAddress: boolean;
}

function addSites(placing: SitePlacement, options: FleetOptions, port: number): void {
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
  placing: SitePlacement,
  request: http.IncomingMessage,
  response: http.ServerResponse,
  secure: boolean,
  fleetGauge: ConcurrencyGauge,
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
  handleSiteRequest({ site: addresses.site, path: addresses.path, query, request, response, secure, fleetGauge }).catch(
    (error: unknown) => {
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
