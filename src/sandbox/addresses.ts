import net from 'node:net';

export function loopbackAddress(index: number): string {
  const perBlock = 250;
  const last = 1 + (index % perBlock);
  const third = Math.floor(index / perBlock) % perBlock;
  const second = 10 + Math.floor(index / (perBlock * perBlock));
  if (second > 250) throw new RangeError('too many sites for 127.0.0.0/8');
  return `127.${second}.${third}.${last}`;
}

export interface Listeners {
  port: number;
  close(): Promise<void>;
}

const PORT_TRIES = 5;

/**
 * Listens on all addresses with one port and passes every connection to `accept`. A plain socket server per address is
 * cheap (about 20 microseconds and one file descriptor). An HTTP server per address is expensive, so all addresses
 * share one HTTP server.
 */
export async function listenOnAll(
  addresses: string[],
  port: number,
  accept: (socket: net.Socket) => void,
): Promise<Listeners> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await tryListen(addresses, port, accept);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      // The port was free on the first address but may be in use on another one, so another free port is tried.
      if (port !== 0 || code !== 'EADDRINUSE' || attempt === PORT_TRIES) throw error;
    }
  }
}

async function tryListen(addresses: string[], port: number, accept: (socket: net.Socket) => void): Promise<Listeners> {
  const [first = '127.0.0.1', ...others] = addresses;
  const server = await listen(first, port, accept);
  const servers = [server];
  const chosen = (server.address() as net.AddressInfo).port;
  const close = async (): Promise<void> => {
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  };
  const results = await Promise.allSettled(others.map((address) => listen(address, chosen, accept)));
  for (const result of results) if (result.status === 'fulfilled') servers.push(result.value);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) {
    await close();
    throw failed.reason;
  }
  return { port: chosen, close };
}

function listen(host: string, port: number, accept: (socket: net.Socket) => void): Promise<net.Server> {
  return new Promise((resolve, reject) => {
    const server = net.createServer({ noDelay: true }, accept);
    server.once('error', reject);
    server.listen({ host, port, backlog: 511 }, () => {
      server.removeListener('error', reject);
      resolve(server);
    });
  });
}
