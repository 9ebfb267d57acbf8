import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { InvalidError } from '../shared/errors.ts';
import { createAddressGuard } from './address-guard.ts';
import { dial } from './dial.ts';
import { OutboundError } from './outbound.ts';
import { createResolver, lookupAll, type ResolvedAddress, type Lookup } from './resolver.ts';

export interface GuardedProxyOptions {
  allowedNetworks: readonly string[];
  ipv4Only: boolean;
  /** Maximum number of bytes received from remote hosts. More bytes close all connections. */
  maxBytes: number;
  /** Maximum number of open connections, counting those from the browser and those to remote hosts. */
  maxConnections: number;
  connectTimeoutMs: number;
  lookup?: Lookup;
}

export interface ProxyStats {
  bytes: number;
  exceeded: boolean;
  refused: number;
}

export interface GuardedProxy {
  port: number;
  stats(): ProxyStats;
  close(): Promise<void>;
}

const HOP_BY_HOP = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade'],
]);

/**
 * Opens an HTTP proxy on the loopback address for a browser that has no other network access. The proxy resolves each
 * host, checks all of its addresses, and dials the checked address.
 */
export async function openGuardedProxy(options: GuardedProxyOptions): Promise<GuardedProxy> {
  const proxy = new HttpGuardedProxy(options);
  await proxy.listen();
  return proxy;
}

class HttpGuardedProxy implements GuardedProxy {
  readonly #options: GuardedProxyOptions;
  readonly #guard;
  readonly #resolver;
  readonly #server = createServer((request, response) => void this.#forward(request, response));
  readonly #open = new Set<Duplex>();
  readonly #stats: ProxyStats = { bytes: 0, exceeded: false, refused: 0 };

  constructor(options: GuardedProxyOptions) {
    this.#options = options;
    this.#guard = createAddressGuard(options.allowedNetworks);
    this.#resolver = createResolver(this.#guard, options.lookup ?? lookupAll, () => performance.now());
    this.#server.on('connect', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      void this.#tunnel(request, socket, head);
    });
    this.#server.on('connection', (socket) => this.#track(socket));
    this.#server.on('clientError', (_error, socket) => socket.destroy());
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  stats(): ProxyStats {
    return { ...this.#stats };
  }

  async close(): Promise<void> {
    this.#cut();
    this.#server.close();
    this.#server.closeAllConnections();
    if (this.#server.listening) await once(this.#server, 'close');
  }

  async #tunnel({ url = '' }: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => undefined);
    try {
      const remote = await this.#dial(new URL(`https://${url}/`));
      if (socket.destroyed) return void remote.destroy();
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      if (head.length > 0) remote.write(head);
      this.#join(remote, socket);
    } catch (error) {
      socket.end(`HTTP/1.1 ${proxyStatusOf(error)} Refused\r\nconnection: close\r\n\r\n`);
    }
  }

  #join(remote: Socket, socket: Duplex): void {
    socket.pipe(remote);
    remote.pipe(socket);
    for (const event of ['close', 'error'] as const) {
      remote.on(event, () => socket.destroy());
      socket.on(event, () => remote.destroy());
    }
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const url = new URL(request.url ?? '');
      const remote = await this.#dial(url);
      const onward = httpRequest({
        createConnection: () => remote,
        method: request.method,
        path: `${url.pathname}${url.search}`,
        headers: { ...withoutHopByHopHeaders(request.headers), host: url.host, connection: 'close' },
      });
      onward.on('error', () => response.destroy());
      onward.on('response', (answer) => {
        answer.on('error', () => response.destroy());
        response.writeHead(answer.statusCode ?? 502, answer.statusMessage, forwardedHeaders(answer.rawHeaders));
        answer.pipe(response);
      });
      response.on('close', () => onward.destroy());
      request.pipe(onward);
    } catch (error) {
      response.writeHead(proxyStatusOf(error), { connection: 'close' }).end();
    }
  }

  async #dial(wanted: URL): Promise<Socket> {
    const { maxConnections, connectTimeoutMs } = this.#options;
    if (this.#stats.exceeded || this.#open.size > maxConnections)
      throw new OutboundError('connect', 'This page opens too many connections.', false, 0);
    const url = this.#guarded(() => this.#guard.parseUrl(wanted.href));
    const addresses = await this.#resolver.resolve(url.hostname).catch((error: unknown) => this.#countRefusal(error));
    const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
    const [first, second] = this.#usable(addresses);
    const startedAt = performance.now();
    const at = ({ address }: ResolvedAddress) =>
      dial({ address, port, startedAt, endsAt: performance.now() + connectTimeoutMs });
    const remote = await at(first).catch((error: unknown) => (second ? at(second) : Promise.reject(error as Error)));
    this.#track(remote);
    remote.on('data', (chunk: Buffer) => this.#count(chunk.length));
    return remote;
  }

  #usable(addresses: readonly ResolvedAddress[]): [ResolvedAddress, ResolvedAddress | undefined] {
    const usable = addresses.filter(({ family }) => family === 4 || !this.#options.ipv4Only);
    const [first] = usable;
    if (!first) throw new OutboundError('dns', 'The host name has no address.', false, 0);
    return [first, usable.find(({ family }) => family !== first.family)];
  }

  #count(bytes: number): void {
    this.#stats.bytes += bytes;
    if (this.#stats.bytes <= this.#options.maxBytes) return;
    this.#stats.exceeded = true;
    this.#cut();
  }

  #cut(): void {
    for (const socket of this.#open) socket.destroy();
  }

  #track(socket: Duplex): void {
    this.#open.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => this.#open.delete(socket));
  }

  #guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      return this.#countRefusal(error);
    }
  }

  #countRefusal(error: unknown): never {
    if (error instanceof InvalidError) this.#stats.refused++;
    throw error;
  }
}

const proxyStatusOf = (error: unknown): number => (error instanceof InvalidError ? 403 : 502);

const withoutHopByHopHeaders = (headers: IncomingMessage['headers']): IncomingMessage['headers'] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name)));

/**
 * Returns the headers to forward as alternating names and values, like `rawHeaders`, so that repeated headers are kept.
 */
function forwardedHeaders(raw: readonly string[]): string[] {
  const pairs: string[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    const [name = '', value = ''] = [raw[at], raw[at + 1]];
    if (!HOP_BY_HOP.has(name.toLowerCase())) pairs.push(name, value);
  }
  return pairs;
}
