import type { Knex } from 'knex';
import { chunks, IDS_A_STATEMENT } from '../../db/chunks.ts';
import { ConflictError, itemErrorOf, NotFoundError, type ItemError } from '../../shared/errors.ts';
import type { KeyedSite } from './site.ts';
import { SITE_COLUMNS, toSite, type ListedSiteRow } from './site-repository.ts';
import { parseSiteReference } from './site-url.ts';

/** A site as callers name it: an ID (digits are one), or a domain or URL. */
export type SiteRef = number | string;

/** A reference with the site it led to. */
export interface ResolvedSite {
  identifier: SiteRef;
  site: KeyedSite;
}

export interface ResolvedSites {
  sites: ResolvedSite[];
  /** References that led nowhere, in the order given. */
  errors: ItemError[];
}

/** Sites under one host that an ambiguous reference lists at most. */
const CANDIDATES = 20;
/** Failed references of one call that are looked at for ambiguity; the rest are simply not found. */
const EXPLAINED_FAILURES = 50;

type Parsed = { kind: 'id'; id: number } | { kind: 'key'; key: string; bareHost: boolean } | { kind: 'none' };

function parse(ref: SiteRef): Parsed {
  if (typeof ref === 'number') return { kind: 'id', id: ref };
  if (/^\d+$/.test(ref.trim())) return { kind: 'id', id: Number(ref) };
  const reference = parseSiteReference(ref);
  return reference ? { kind: 'key', ...reference } : { kind: 'none' };
}

const notFound = (): NotFoundError => new NotFoundError('svc_site_not_found', 'No site goes by this reference.');

/** Finds the sites that callers mean. */
export class SiteReferences {
  readonly #knex: Knex;

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  /** Throws `svc_site_not_found` or `svc_ambiguous_site`. */
  async one(ref: SiteRef): Promise<KeyedSite> {
    const parsed = parse(ref);
    const [row] = await this.#matching([parsed]);
    if (row) return toSite(row);
    if (parsed.kind === 'key' && parsed.bareHost) await this.#refuseAmbiguous(parsed.key);
    throw notFound();
  }

  /** Resolves a list in a number of statements that does not grow with the fleet; a site named twice counts once. */
  async many(refs: readonly SiteRef[]): Promise<ResolvedSites> {
    const parsed = refs.map((ref) => ({ ref, ...parse(ref) }));
    const byId = new Map<number, KeyedSite>();
    const byKey = new Map<string, KeyedSite>();
    for (const chunk of chunks(parsed, IDS_A_STATEMENT))
      for (const row of await this.#matching(chunk)) {
        byId.set(row.id, toSite(row));
        byKey.set(row.url_key, toSite(row));
      }
    const seen = new Set<number>();
    const resolved: ResolvedSites = { sites: [], errors: [] };
    for (const each of parsed) {
      const site = each.kind === 'id' ? byId.get(each.id) : each.kind === 'key' ? byKey.get(each.key) : undefined;
      if (!site) resolved.errors.push(await this.#failure(each.ref, each, resolved.errors.length < EXPLAINED_FAILURES));
      else if (!seen.has(site.id)) {
        seen.add(site.id);
        resolved.sites.push({ identifier: each.ref, site });
      }
    }
    return resolved;
  }

  async #failure(ref: SiteRef, parsed: Parsed, explain: boolean): Promise<ItemError> {
    try {
      if (explain && parsed.kind === 'key' && parsed.bareHost) await this.#refuseAmbiguous(parsed.key);
      return itemErrorOf(ref, notFound());
    } catch (error) {
      return itemErrorOf(ref, error);
    }
  }

  async #matching(parsed: readonly Parsed[]): Promise<ListedSiteRow[]> {
    const ids = parsed.flatMap((each) => (each.kind === 'id' && Number.isSafeInteger(each.id) ? [each.id] : []));
    const keys = parsed.flatMap((each) => (each.kind === 'key' ? [each.key] : []));
    const rows: ListedSiteRow[] = [];
    if (ids.length > 0)
      rows.push(
        ...(await this.#knex('sites')
          .whereIn('id', ids)
          .select<ListedSiteRow[]>(...SITE_COLUMNS)),
      );
    if (keys.length > 0)
      rows.push(
        ...(await this.#knex('sites')
          .whereIn('url_key', keys)
          .select<ListedSiteRow[]>(...SITE_COLUMNS)),
      );
    return rows;
  }

  /**
   * A path and a port are part of an address, so a bare host is not the site beneath it; it may well fit several,
   * though.
   */
  async #refuseAmbiguous(host: string): Promise<void> {
    const ids = await this.#knex('sites')
      // '/' to '0' and ':' to ';' are the neighbours in ASCII: everything below this host, and its other ports.
      .where((either) => either.where('url_key', '>=', `${host}/`).where('url_key', '<', `${host}0`))
      .orWhere((either) => either.where('url_key', '>=', `${host}:`).where('url_key', '<', `${host};`))
      .orderBy('id')
      .limit(CANDIDATES)
      .pluck<number[]>('id');
    if (ids.length > 1)
      throw new ConflictError(
        'svc_ambiguous_site',
        'This domain fits several sites; name one by ID or by its whole address.',
        {
          site_ids: ids,
        },
      );
  }
}
