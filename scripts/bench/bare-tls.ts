/**
 * Baseline of TLS handshakes: `bare-tls.ts <at once> <rounds> <addresses>`, with the addresses as a JSON list. Prints
 * the milliseconds of each round.
 */
import { connect } from 'node:tls';

const [atOnce = '50', rounds = '4', addresses = '[]'] = process.argv.slice(2);
const urls = (JSON.parse(addresses) as string[]).map((url) => new URL(url));

const look = ({ hostname: host, port }: URL): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(port), rejectUnauthorized: false }, () => {
      const certificate = socket.getPeerCertificate(true);
      const seen = [certificate, socket.authorized, socket.getProtocol(), socket.getCipher()];
      socket.destroySoon();
      resolve(seen);
    });
    socket.on('error', reject);
  });

const times: number[] = [];
for (let round = 0; round < Number(rounds); round++) {
  const began = performance.now();
  const next = urls.values();
  await Promise.all(
    Array.from({ length: Number(atOnce) }, async () => {
      for (const url of next) await look(url);
    }),
  );
  times.push(performance.now() - began);
}
console.log(JSON.stringify(times));
