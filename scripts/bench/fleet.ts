/** A simulated fleet whose sites are registered already, with keys from the pool: `fleet.ts <sites> <latency ms> [addresses]`. */
import { startFleet } from '../../src/sandbox/index.ts';
import { keyPool, pairOf, SERVER } from './keys.ts';

const [sites = '10', latency = '0', ips] = process.argv.slice(2);
const pool = keyPool();
const fleet = await startFleet({
  sites: Number(sites),
  latencyMs: Number(latency),
  requestLog: 0,
  ...(ips ? { ips: Number(ips) } : {}),
  primedKeys: (index) => ({ publicKeyPem: pairOf(pool, index).publicKeyPem, server: SERVER, admin: 'admin' }),
});
console.log(JSON.stringify({ url: JSON.stringify(fleet.sites.map(({ url }) => url)) }));
process.on('SIGUSR2', () => {
  for (let index = 0; index < 10; index++) {
    const site = fleet.sites[index * Math.floor(fleet.sites.length / 10)];
    if (site) site.fault = site.fault ? null : { kind: 'hang' };
  }
});
process.on('SIGTERM', () => void fleet.close().then(() => process.exit(0)));
