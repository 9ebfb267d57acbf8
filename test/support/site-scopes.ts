import type { Knex } from 'knex';
import { ALL_SITES, scopeWithin, type SiteScope } from '../../src/shared/site-scope.ts';
import { storeSite } from './sites.ts';

export interface ScopedSites {
  /** The first two belong to client 0, the third to client 1. Tag 0 is on the first, third and fifth. */
  sites: number[];
  clients: number[];
  tags: number[];
  scopes: ScopeCase[];
}

export interface ScopeCase {
  name: string;
  scope: SiteScope;
  sees: (siteId: number | null) => boolean;
}

const NONE = { clients: [], tags: [], sites: [] };

/** Stores five sites and returns scopes for them: all, one site, a client, a tag, two limits at once, and none. */
export async function seedScopedSites(knex: Knex): Promise<ScopedSites> {
  const times = { created_at: 1, updated_at: 1 };
  const clients: number[] = [];
  for (const name of ['A', 'B']) {
    const row = { name, name_key: name.toLowerCase(), note: '', status: 'active', ...times };
    clients.push((await knex('clients').insert(row))[0] as number);
  }
  const tags: number[] = [];
  for (const name of ['Shop', 'Blog'])
    tags.push((await knex('tags').insert({ name, name_key: name.toLowerCase(), ...times }))[0] as number);
  const [clientA = 0, clientB = 0] = clients;
  const [shop = 0, blog = 0] = tags;
  const sites = [
    await storeSite(knex, 'a.example', { clientId: clientA, tagIds: [shop, blog] }),
    await storeSite(knex, 'b.example', { clientId: clientA }),
    await storeSite(knex, 'c.example', { clientId: clientB, tagIds: [shop] }),
    await storeSite(knex, 'd.example'),
    await storeSite(knex, 'e.example', { tagIds: [shop] }),
  ];
  const scopeCase = (name: string, scope: SiteScope, seen: readonly number[]): ScopeCase => {
    const ids = new Set(seen.map((index) => sites[index]));
    return { name, scope, sees: (siteId) => siteId !== null && ids.has(siteId) };
  };
  const ofClient = { ...NONE, clients: [clientA] };
  const ofTag = { ...NONE, tags: [shop] };
  const scopes = [
    { name: 'all sites', scope: ALL_SITES, sees: () => true },
    scopeCase('one site', scopeWithin([{ ...NONE, sites: [sites[3] ?? 0] }]), [3]),
    scopeCase('a client', scopeWithin([ofClient]), [0, 1]),
    scopeCase('a tag', scopeWithin([ofTag]), [0, 2, 4]),
    scopeCase('a client and a site', scopeWithin([{ ...ofClient, sites: [sites[2] ?? 0] }]), [0, 1, 2]),
    scopeCase('a client within a tag', scopeWithin([ofClient, ofTag]), [0]),
    scopeCase('no site', scopeWithin([NONE]), []),
  ];
  return { sites, clients, tags, scopes };
}
