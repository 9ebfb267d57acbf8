import type { Knex } from 'knex';
import { bumpRevision } from '../../src/db/revisions.ts';
import { ChangeLog } from '../../src/domains/changes/index.ts';
import { ClientService } from '../../src/domains/clients/index.ts';
import { TagService } from '../../src/domains/tags/index.ts';
import type { DeletionViewer } from '../../src/shared/deletion-effects.ts';
import { ALL_SITES, scopeWithin, type SiteScope } from '../../src/shared/site-scope.ts';
import { withFreshDatabase } from './database.ts';
import { storeSite } from './sites.ts';

interface FleetSite {
  id: number;
  clientId: number | null;
  tagIds: number[];
}

/** A fleet in which every limit hides something. The last client and the last tag have no site. */
export interface LimitedFleet {
  clients: number[];
  tags: number[];
  sites: FleetSite[];
  /** Scopes by description. */
  scopes: Record<string, SiteScope>;
}

const CLIENT_OF = [0, 0, 0, 1, 1, null, 2];
const TAGS_OF = [[0], [1], [0, 1], [0], [1], [2], [2, 0]];

const clock = { now: () => Date.UTC(2026, 10, 21, 12) };

export function servicesOfFleet(knex: Knex): { clients: ClientService; tags: TagService } {
  const parts = { knex, clock, changeLog: new ChangeLog(clock), deletionCounts: () => [] };
  const templates = { requireKnown: () => Promise.resolve() };
  return {
    clients: new ClientService({ ...parts, templates, onClientDeleted: () => [], onClientMailChanged: () => [] }),
    tags: new TagService(parts),
  };
}

export async function storeLimitedFleet(knex: Knex): Promise<LimitedFleet> {
  const services = servicesOfFleet(knex);
  const [clients, tags]: [number[], number[]] = [[], []];
  for (const name of ['Harbour', 'bakery', 'Shop', 'idle'])
    clients.push((await services.clients.create({ name, email: `${name}@fleet.example` }, 'tester')).id);
  for (const name of ['shop', 'blog', 'Staging', 'unused'])
    tags.push((await services.tags.create({ name }, 'tester')).id);
  const sites: FleetSite[] = [];
  for (const [n, owner] of CLIENT_OF.entries()) {
    const clientId = owner === null ? null : (clients[owner] as number);
    const tagIds = (TAGS_OF[n] as number[]).map((tag) => tags[tag] as number);
    // The order of addresses is the reverse of the order of IDs.
    const id = await storeSite(knex, `fleet-${9 - n}.example`, { clientId, tagIds });
    sites.push({ id, clientId, tagIds });
  }
  await bumpRevision(knex, 'sites');
  const none = { clients: [], tags: [], sites: [] };
  const ofClient = { ...none, clients: [clients[0] as number] };
  const ofTag = { ...none, tags: [tags[0] as number] };
  const ofSite = { ...none, sites: [(sites[3] as FleetSite).id] };
  const scopes = {
    'all sites': ALL_SITES,
    'one client': scopeWithin([ofClient]),
    'one tag': scopeWithin([ofTag]),
    'one site': scopeWithin([ofSite]),
    'a site without a client': scopeWithin([{ ...none, sites: [(sites[5] as FleetSite).id] }]),
    'a client or a site': scopeWithin([{ ...ofClient, sites: ofSite.sites }]),
    'a client of the user and a tag of the key': scopeWithin([ofClient, ofTag]),
    'no site': scopeWithin([none]),
  };
  return { clients, tags, sites, scopes };
}

export const viewerWithin = (sites: SiteScope): DeletionViewer => ({
  ...{ sites, userId: 1, keyId: null },
  permissions: new Set(),
});

/** Gives each test of a suite a fresh database with such a fleet. */
export function withLimitedFleet(
  take: (stored: { knex: Knex; fleet: LimitedFleet } & ReturnType<typeof servicesOfFleet>) => unknown,
): void {
  let knex: Knex;
  withFreshDatabase(({ database }) => ({ knex } = database));
  beforeEach(async () => {
    await take({ knex, fleet: await storeLimitedFleet(knex), ...servicesOfFleet(knex) });
  });
}

/** Computes without the database which sites a scope contains. */
export function sitesInScope({ sites }: LimitedFleet, { limits }: SiteScope): FleetSite[] {
  return sites.filter(({ id, clientId, tagIds }) =>
    limits.every(
      (limit) =>
        limit.sites.includes(id) ||
        (clientId !== null && limit.clients.includes(clientId)) ||
        tagIds.some((tag) => limit.tags.includes(tag)),
    ),
  );
}
