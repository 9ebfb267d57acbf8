import type { Knex } from 'knex';
import { chunks, IDS_A_STATEMENT } from '../../db/chunks.ts';
import { readPrepared } from '../../db/prepared.ts';
import { ConflictError, NotFoundError } from '../../shared/errors.ts';
import { itemErrorOf, type ItemError } from '../../shared/item-error.ts';
import { isLimited, type SiteScope } from '../../shared/site-scope.ts';
import type { SiteDetail, SiteWithUrlKey } from './site.ts';
import {
  DETAIL_COLUMNS,
  READ_DETAIL,
  READ_SITE,
  SITE_COLUMNS,
  toDetail,
  toSite,
  type ListedSiteRow,
  type SiteRow,
  type SiteStateRow,
} from './site-repository.ts';
import { whereInScope } from './site-scope-read-model.ts';
import { parseSiteReference, type SiteReference } from './site-url.ts';

/** A site as callers name it: an ID (also as a string of digits), a domain or a URL. */
export type SiteRef = number | string;

export interface ResolvedSite {
  identifier: SiteRef;
  site: SiteWithUrlKey;
}

export interface ResolvedSites {
  sites: ResolvedSite[];
  errors: ItemError[];
}

const CANDIDATES = 20;
/** Maximum number of failed references per call that are checked for ambiguity. The rest are reported as not found. */
const EXPLAINED_FAILURES = 50;

/** What is read of a site: only its record, or also the state that the last sync has stored. */
interface SiteRead {
  columns: readonly string[];
  withState: boolean;
  /** Prepared statements. They find a site in the whole fleet, so they are only for callers that may see all sites. */
  byId: string;
  byKey: string;
}
const SITE: SiteRead = { columns: SITE_COLUMNS, withState: false, ...READ_SITE };
const DETAIL: SiteRead = { columns: DETAIL_COLUMNS, withState: true, ...READ_DETAIL };

type ParsedSiteRef = { kind: 'id'; id: number } | ({ kind: 'key' } & SiteReference) | { kind: 'none' };

function parseSiteRef(ref: SiteRef): ParsedSiteRef {
  if (typeof ref === 'number') return { kind: 'id', id: ref };
  if (/^\d+$/.test(ref.trim())) return { kind: 'id', id: Number(ref) };
  const reference = parseSiteReference(ref);
  return reference ? { kind: 'key', ...reference } : { kind: 'none' };
}

/**
 * Returns the keys that a reference can stand for, the most exact first. Releases before 0.2 stored addresses of other
 * pages as they were entered.
 */
function keysOf(parsed: ParsedSiteRef): readonly string[] {
  if (parsed.kind !== 'key') return [];
  const { key, homeKey } = parsed;
  return key === homeKey ? [key] : [key, homeKey];
}

const siteReferenceNotFound = (): NotFoundError =>
  new NotFoundError('svc_site_not_found', 'No site matches this reference.');

export class SiteReferences {
  readonly #knex: Knex;

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  /** Throws `svc_ambiguous_site` or `svc_site_not_found`. A site outside the scope is not found. */
  async one(scope: SiteScope, ref: SiteRef): Promise<SiteWithUrlKey> {
    return toSite(await this.#rowOf<ListedSiteRow>(scope, ref, SITE));
  }

  /** Like `one`, with the stored state of the site, in one statement. */
  async detail(scope: SiteScope, ref: SiteRef): Promise<SiteDetail> {
    return toDetail(await this.#rowOf<SiteRow & SiteStateRow>(scope, ref, DETAIL));
  }

  async #rowOf<Row>(scope: SiteScope, ref: SiteRef, read: SiteRead): Promise<Row> {
    const parsed = parseSiteRef(ref);
    const row = await this.#matchingOne<Row>(scope, parsed, read);
    if (row) return row;
    if (parsed.kind === 'key' && parsed.bareHost) await this.#refuseAmbiguous(scope, parsed.homeKey);
    throw siteReferenceNotFound();
  }

  /** A site that is named twice is returned once. */
  async many(scope: SiteScope, refs: readonly SiteRef[]): Promise<ResolvedSites> {
    const parsed = refs.map((ref) => ({ ref, ...parseSiteRef(ref) }));
    const byId = new Map<number, SiteWithUrlKey>();
    const byKey = new Map<string, SiteWithUrlKey>();
    for (const chunk of chunks(parsed, IDS_A_STATEMENT))
      for (const row of await this.#matching<ListedSiteRow>(scope, chunk, SITE)) {
        byId.set(row.id, toSite(row));
        byKey.set(row.url_key, toSite(row));
      }
    const seen = new Set<number>();
    const resolved: ResolvedSites = { sites: [], errors: [] };
    for (const each of parsed) {
      const site =
        each.kind === 'id'
          ? byId.get(each.id)
          : keysOf(each)
              .map((key) => byKey.get(key))
              .find((known) => known !== undefined);
      if (!site) {
        const explain = resolved.errors.length < EXPLAINED_FAILURES;
        resolved.errors.push(await this.#failure(scope, each.ref, each, explain));
      } else if (!seen.has(site.id)) {
        seen.add(site.id);
        resolved.sites.push({ identifier: each.ref, site });
      }
    }
    return resolved;
  }

  async #failure(scope: SiteScope, ref: SiteRef, parsed: ParsedSiteRef, explain: boolean): Promise<ItemError> {
    try {
      if (explain && parsed.kind === 'key' && parsed.bareHost) await this.#refuseAmbiguous(scope, parsed.homeKey);
      return itemErrorOf(ref, siteReferenceNotFound());
    } catch (error) {
      return itemErrorOf(ref, error);
    }
  }

  async #matchingOne<Row>(scope: SiteScope, parsed: ParsedSiteRef, read: SiteRead): Promise<Row | undefined> {
    if (parsed.kind === 'none' || (parsed.kind === 'id' && !Number.isSafeInteger(parsed.id))) return undefined;
    if (parsed.kind === 'id') {
      if (isLimited(scope)) return (await this.#matching<Row>(scope, [parsed], read))[0];
      return (await readPrepared<Row>(this.#knex, read.byId, [parsed.id]))[0];
    }
    for (const key of keysOf(parsed)) {
      const [row] = isLimited(scope)
        ? await this.#matching<Row>(scope, [{ ...parsed, key, homeKey: key }], read)
        : await readPrepared<Row>(this.#knex, read.byKey, [key]);
      if (row) return row;
    }
    return undefined;
  }

  async #matching<Row>(scope: SiteScope, parsed: readonly ParsedSiteRef[], read: SiteRead): Promise<Row[]> {
    const ids = parsed.flatMap((each) => (each.kind === 'id' && Number.isSafeInteger(each.id) ? [each.id] : []));
    const keys = parsed.flatMap(keysOf);
    const byColumn = async (column: 'id' | 'url_key', values: readonly (string | number)[]): Promise<Row[]> => {
      if (values.length === 0) return [];
      const query = this.#knex('sites').whereIn(`sites.${column}`, [...values]);
      if (read.withState) void query.join('site_states', 'site_states.site_id', 'sites.id');
      whereInScope(this.#knex, query, scope);
      return (await query.select(...read.columns)) as Row[];
    };
    return [...(await byColumn('id', ids)), ...(await byColumn('url_key', keys))];
  }

  /**
   * Runs if no address of a site equals a bare host. Throws `svc_ambiguous_site` if several addresses consist of this
   * host and a path or a port. A single one is not used: a bare host never stands for such an address.
   */
  async #refuseAmbiguous(scope: SiteScope, host: string): Promise<void> {
    // '/' to '0' and ':' to ';' are neighbors in ASCII: the ranges contain all paths and other ports of this host.
    const query = this.#knex('sites').where((either) => {
      void either
        .where((path) => path.where('sites.url_key', '>=', `${host}/`).where('sites.url_key', '<', `${host}0`))
        .orWhere((port) => port.where('sites.url_key', '>=', `${host}:`).where('sites.url_key', '<', `${host};`));
    });
    whereInScope(this.#knex, query, scope);
    const ids = await query.orderBy('sites.id').limit(CANDIDATES).pluck<number[]>('sites.id');
    if (ids.length > 1)
      throw new ConflictError(
        'svc_ambiguous_site',
        'This domain matches several sites. Use the ID or the full URL of one site.',
        {
          site_ids: ids,
        },
      );
  }
}
