import type { Container, Overrides } from '../service/container.ts';
import { startFleet, type Fleet } from '../sandbox/index.ts';

const SITES = [
  { name: 'Certificate valid', defect: undefined },
  { name: 'Certificate about to end', defect: 'ending' },
  { name: 'Certificate that has ended', defect: 'expired' },
  { name: 'Certificate of tomorrow', defect: 'not-yet-valid' },
  { name: 'Certificate of another host', defect: 'wrong-name' },
  { name: 'Certificate of nobody', defect: 'untrusted' },
] as const;

export interface TlsSites {
  fleet: Fleet;
  overrides: Overrides;
}

export async function startTlsSites(): Promise<TlsSites> {
  const fleet = await startFleet({
    sites: SITES.length,
    tls: true,
    certificateDefects: (index) => SITES[index]?.defect,
  });
  return { fleet, overrides: { outbound: { certificateAuthorities: [fleet.certificate ?? ''] } } };
}

export async function demoSslMonitor({ services }: Container, fleet: Fleet): Promise<void> {
  for (const [index, { name }] of SITES.entries()) {
    const site = fleet.sites[index];
    if (!site) continue;
    const { url, admin, adminPassword: password } = site;
    const { id } = await services.sites.sites.add({ url, admin, password, name, sslVerify: false }, 'demo');
    await services.sslMonitor.sslMonitor.check(id);
  }
}
