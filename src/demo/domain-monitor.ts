import { ALL_SITES } from '../shared/site-scope.ts';
import type { Container } from '../service/container.ts';
import { DAY, toDate } from '../shared/clock.ts';

const DOMAINS: readonly { name: string; daysLeft: number; statuses?: readonly string[] }[] = [
  { name: 'corner-bakery.example', daysLeft: 9 },
  { name: 'city-museum.example', daysLeft: 27 },
  { name: 'harbour-boats.example', daysLeft: -3 },
  { name: 'old-campaign.example', daysLeft: -40, statuses: ['redemption period'] },
  { name: 'bücherei.example', daysLeft: 301 },
  { name: 'wine-and-dine.example', daysLeft: 730 },
];

/**
 * Stores the domains as an operator would enter them. They cannot be looked up: the simulated sites have no domain
 * names, and a demo must not call registries.
 */
export async function demoDomainMonitor({ services }: Container, actor: string): Promise<void> {
  const sites = await services.sites.list.all(ALL_SITES, {});
  const today = Date.now();
  for (const [index, { name, daysLeft, statuses = ['client transfer prohibited'] }] of DOMAINS.entries()) {
    const site = sites[index];
    if (!site) return;
    const day = (days: number): string => toDate(today + days * DAY);
    const entry = {
      domainName: name,
      registrar: 'Example Registrar Inc.',
      registrarUrl: 'https://registrar.example/',
      createdAt: day(daysLeft - 3650),
      expiresAt: day(daysLeft),
      nameServers: ['ns1.host.example', 'ns2.host.example'],
      statuses,
    };
    await services.domainMonitor.domains.editManualEntry(site, entry, actor);
  }
}
