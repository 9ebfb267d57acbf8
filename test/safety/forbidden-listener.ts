import { once } from 'node:events';
import { lookup as systemLookup } from 'node:dns';
import { createServer, isIP, Socket, type AddressInfo, type LookupFunction, type Server } from 'node:net';

/** A listener that must not be reached. It counts connections. */
export class ForbiddenListener {
  readonly port: number;
  connections = 0;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', (socket: Socket) => {
      this.connections += 1;
      socket.on('error', () => undefined);
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\ncaught');
    });
  }

  /** Listens on one address, or on all addresses of this machine, IPv4 and IPv6. */
  static async start(host?: string, port = 0): Promise<ForbiddenListener> {
    const hosts = host === undefined ? ['::', '0.0.0.0'] : [host];
    for (const each of hosts) {
      const server = createServer();
      server.listen({ host: each, port });
      const open = await once(server, 'listening').then(
        () => true,
        () => false,
      );
      if (open) return new ForbiddenListener(server);
    }
    throw new Error('The trap could not be set.');
  }

  close(): void {
    this.#server.close();
  }
}

/** Records every connection attempt of this process to a watched port, even if nothing listens there. */
export function watchConnections(ports: ReadonlySet<number>): { dialled: string[]; stop: () => void } {
  const dialled: string[] = [];
  // oxlint-disable-next-line typescript/unbound-method
  const original = Socket.prototype.connect;
  Socket.prototype.connect = function (this: Socket, ...given: unknown[]) {
    // Node.js passes normalized options as an array with the callback.
    const first = Array.isArray(given[0]) ? (given[0] as unknown[])[0] : given[0];
    const { host, port } = (first ?? {}) as { host?: string; port?: number | string };
    if (ports.has(Number(port))) dialled.push(`${host}:${port}`);
    return (original as (...all: unknown[]) => Socket).apply(this, given);
  };
  return { dialled, stop: () => void (Socket.prototype.connect = original) };
}

/**
 * Records the IP address of every connection of this process, also of those that are opened by name, and opens those to
 * `from` to a local address instead. So a test can dial a public address without leaving this machine.
 */
export function divertConnections(from: string, to: string): { dialled: string[]; stop: () => void } {
  const dialled: string[] = [];
  const targetOf = (address: string): string => {
    dialled.push(address);
    return address === from ? to : address;
  };
  // oxlint-disable-next-line typescript/unbound-method
  const original = Socket.prototype.connect;
  Socket.prototype.connect = function (this: Socket, ...given: unknown[]) {
    // Node.js passes normalized options as an array with the callback.
    const normalized = Array.isArray(given[0]) ? (given[0] as unknown[]) : given;
    const options = normalized[0] as { host?: string; lookup?: LookupFunction };
    const { host = 'localhost', lookup = systemLookup } = options;
    const diverted =
      isIP(host) > 0
        ? { ...options, host: targetOf(host) }
        : {
            ...options,
            lookup: ((name, wanted, done) =>
              lookup(name, wanted, (error, found, family) => {
                if (error) return done(error, found, family);
                if (typeof found === 'string') return done(null, targetOf(found), family);
                done(
                  null,
                  found.map((each) => ({ ...each, address: targetOf(each.address) })),
                );
              })) satisfies LookupFunction,
          };
    if (Array.isArray(given[0])) (given[0] as unknown[])[0] = diverted;
    else given[0] = diverted;
    return (original as (...all: unknown[]) => Socket).apply(this, given);
  };
  return { dialled, stop: () => void (Socket.prototype.connect = original) };
}
