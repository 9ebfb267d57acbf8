/**
 * Runs TLS endpoints that have an address and a certificate each: `tls-endpoints.ts <count> <file>`. Writes the
 * certificate authority of all of them to the file.
 */
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:tls';
import { listenOnAll, loopbackAddress } from '../../src/sandbox/addresses.ts';
import { createAuthority } from '../../test/support/certificates.ts';

const [count = '1000', file = ''] = process.argv.slice(2);
const trusted = await createAuthority('Bench');
writeFileSync(file, trusted.root.cert);
const servers = new Map<string, ReturnType<typeof createServer>>();
for (let index = 0; index < Number(count); index++) {
  const address = loopbackAddress(index);
  const { cert, key } = await trusted.issue({ subject: `CN=site-${index}.bench.example`, names: [address] });
  const server = createServer({ cert, key });
  server.on('secureConnection', (socket) => socket.on('error', () => undefined));
  server.on('tlsClientError', () => undefined);
  servers.set(address, server);
}
const listeners = await listenOnAll([...servers.keys()], 0, (socket) => {
  socket.on('error', () => undefined);
  servers.get(socket.localAddress ?? '')?.emit('connection', socket);
});
const urls = [...servers.keys()].map((address) => `https://${address}:${listeners.port}/`);
console.log(JSON.stringify({ url: JSON.stringify(urls) }));
process.on('SIGTERM', () => void listeners.close().then(() => process.exit(0)));
