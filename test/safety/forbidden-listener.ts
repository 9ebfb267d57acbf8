import { once } from 'node:events';
import { createServer, Socket, type AddressInfo, type Server } from 'node:net';

/** A listener that nobody may reach: it counts who does. */
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

  /** On all addresses of this machine, of both families where it has both; or on one. */
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

/** Every dialling that this process begins to a port that is watched, whether or not anything listens there. */
export function watchConnections(ports: ReadonlySet<number>): { dialled: string[]; stop: () => void } {
  const dialled: string[] = [];
  // oxlint-disable-next-line typescript/unbound-method
  const original = Socket.prototype.connect;
  Socket.prototype.connect = function (this: Socket, ...given: unknown[]) {
    // Node itself passes the options normalised, as an array with the callback behind them.
    const first = Array.isArray(given[0]) ? (given[0] as unknown[])[0] : given[0];
    const { host, port } = (first ?? {}) as { host?: string; port?: number | string };
    if (ports.has(Number(port))) dialled.push(`${host}:${port}`);
    return (original as (...all: unknown[]) => Socket).apply(this, given);
  };
  return { dialled, stop: () => void (Socket.prototype.connect = original) };
}
