import type { Knex } from 'knex';
import { isMissingReference } from '../../db/dialect.ts';
import { listOf, readPrepared } from '../../db/prepared.ts';
import { throwFieldError } from '../../shared/field-errors.ts';
import { isLimited, type SiteLimit, type SiteScope } from '../../shared/site-scope.ts';
import { whereInScope } from '../sites/index.ts';

export type LimitOwner = 'user_id' | 'key_id';

type Kind = keyof SiteLimit;
type LimitRow = { owner: number; client_id: number | null; tag_id: number | null; site_id: number | null };

const COLUMNS: Record<Kind, 'client_id' | 'tag_id' | 'site_id'> = {
  clients: 'client_id',
  tags: 'tag_id',
  sites: 'site_id',
};
const TABLES: Record<LimitOwner, string> = { user_id: 'users', key_id: 'api_keys' };
/**
 * Format: table, column with the ID of a client, tag or site that a limit names, column with the IDs of the sites that
 * it allows.
 */
const SITES_OF: Record<Kind, [string, string, string]> = {
  clients: ['sites', 'sites.client_id', 'sites.id'],
  tags: ['site_tags', 'site_tags.tag_id', 'site_tags.site_id'],
  sites: ['sites', 'sites.id', 'sites.id'],
};
const KINDS = Object.keys(COLUMNS) as Kind[];

const noEntries = (): Record<Kind, number[]> => ({ clients: [], tags: [], sites: [] });

export class SiteLimitRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** Returns the entries of each owner. Whether an owner has a limit at all is in its column `limited`. */
  async of(owner: LimitOwner, ids: readonly number[]): Promise<Map<number, SiteLimit>> {
    if (ids.length === 0) return new Map();
    const { placeholders, bindings } = listOf(ids);
    const rows = await readPrepared<LimitRow>(
      this.#db,
      `select ${owner} as owner, client_id, tag_id, site_id from site_limits
       where ${owner} in (${placeholders}) order by client_id, tag_id, site_id`,
      bindings,
    );
    const limits = new Map(ids.map((id) => [id, noEntries()]));
    for (const row of rows)
      for (const kind of KINDS) {
        const entry = row[COLUMNS[kind]];
        if (entry !== null) limits.get(row.owner)?.[kind].push(entry);
      }
    return limits;
  }

  async ofOne(owner: LimitOwner, id: number): Promise<SiteLimit> {
    return (await this.of(owner, [id])).get(id) ?? noEntries();
  }

  async replace(owner: LimitOwner, id: number, limit: SiteLimit | null): Promise<void> {
    await this.#db(TABLES[owner])
      .where({ id })
      .update({ limited: limit === null ? 0 : 1 });
    await this.#db('site_limits')
      .where({ [owner]: id })
      .delete();
    const rows = KINDS.flatMap((kind) =>
      (limit?.[kind] ?? []).map((entry) => ({ [owner]: id, [COLUMNS[kind]]: entry })),
    );
    try {
      if (rows.length > 0) await this.#db('site_limits').insert(rows);
    } catch (error) {
      if (isMissingReference(error))
        throwFieldError('siteLimit', 'names a client, tag or site that was deleted during the call');
      throw error;
    }
  }

  /**
   * Returns the entries that do not exist, as `kind` and index in its list. For a limited scope, also returns entries
   * without a site in the scope. So a limited caller cannot grant a client or tag that has no sites, even if its own
   * limit names that client or tag.
   */
  async unknownEntriesOf(limit: SiteLimit, scope: SiteScope): Promise<{ kind: Kind; index: number }[]> {
    const unknown: { kind: Kind; index: number }[] = [];
    for (const kind of KINDS) {
      const known = new Set(await this.#known(kind, limit[kind], scope));
      unknown.push(...limit[kind].flatMap((id, index) => (known.has(id) ? [] : [{ kind, index }])));
    }
    return unknown;
  }

  #known(kind: Kind, ids: readonly number[], scope: SiteScope): Promise<number[]> {
    if (!isLimited(scope))
      return this.#db(kind)
        .whereIn('id', [...ids])
        .pluck<number[]>('id');
    const [table, column, site] = SITES_OF[kind];
    const query = this.#db(table).whereIn(column, [...ids]);
    whereInScope(this.#db, query, scope, site);
    return query.distinct(column).pluck<number[]>(column);
  }
}
