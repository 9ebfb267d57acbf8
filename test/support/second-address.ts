import net from 'node:net';
import type { SimulatedSite } from '../../src/sandbox/index.ts';

export interface SecondAddress {
  url: string;
  close(): Promise<void>;
}

/** Opens a second address of a site, to which it does not redirect. The site reports its own address. */
export async function openSecondAddress(site: SimulatedSite, host: string): Promise<SecondAddress> {
  const { hostname, port } = new URL(site.url);
  const sockets = new Set<net.Socket>();
  const server = net.createServer((caller) => {
    const own = net.connect(Number(port), hostname);
    for (const socket of [caller, own]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => [caller, own].forEach((each) => each.destroy()));
    }
    caller.pipe(own).pipe(caller);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const close = (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(() => resolve()));
  };
  return { url: `http://${host}:${(server.address() as net.AddressInfo).port}/`, close };
}
