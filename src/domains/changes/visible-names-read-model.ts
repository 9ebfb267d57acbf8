import type { Knex } from 'knex';
import { chunks, IDS_A_STATEMENT } from '../../db/chunks.ts';
import type { ChangedValues } from '../../shared/changed-values.ts';
import { isLimited, type SiteScope } from '../../shared/site-scope.ts';
import { clientsInScope, whereInScope } from '../sites/index.ts';
import type { LoggedChange } from './logged-change.ts';

/** Separates the names of tags in a value. A name that contains the separator is not recognized and is left out. */
const SEPARATOR = ', ';

/**
 * Removes clients and tags from the values of changes if a limited caller has no site with them now. Also removes the
 * time buckets of tasks. Runs at most two statements for a page.
 */
export async function withoutUnseenNames<T extends LoggedChange>(
  knex: Knex,
  scope: SiteScope,
  changes: readonly T[],
): Promise<T[]> {
  if (!isLimited(scope)) return [...changes];
  const values = changes.filter(isAboutRecord).flatMap(({ before, after }) => [before, after]);
  const named = values.flatMap(({ client_id: ofSite, client: ofTask }) => [ofSite ?? [], ofTask ?? []].flat());
  const clientIds = await seenClients(knex, scope, new Set(named));
  const tagNames = await seenTags(knex, scope, new Set(values.flatMap(({ tags }) => namesIn(tags))));
  const cut = ({ client_id: ofSite, client: ofTask, bucket: _, tags, ...rest }: ChangedValues): ChangedValues => {
    const seen = namesIn(tags).filter((name) => tagNames.has(name));
    return {
      ...rest,
      ...(ofSite !== undefined && clientIds.has(ofSite) && { client_id: ofSite }),
      ...(ofTask !== undefined && clientIds.has(ofTask) && { client: ofTask }),
      ...(seen.length > 0 && { tags: seen.join(SEPARATOR) }),
    };
  };
  return changes.map((change) =>
    isAboutRecord(change) ? { ...change, before: cut(change.before), after: cut(change.after) } : change,
  );
}

/** Entries of child plugins are left out, because their values have other meanings. */
const isAboutRecord = ({ source, type }: LoggedChange): boolean =>
  source === 'dashboard' && /^(?:site|task)\./.test(type);

const namesIn = (tags: string | undefined): string[] => tags?.split(SEPARATOR) ?? [];

async function seenClients(knex: Knex, scope: SiteScope, ids: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const seen = new Set<string>();
  for (const chunk of chunks([...ids].map(Number), IDS_A_STATEMENT))
    for (const id of await clientsInScope(knex, scope).whereIn('sites.client_id', chunk).pluck<number[]>('client_id'))
      seen.add(String(id));
  return seen;
}

async function seenTags(knex: Knex, scope: SiteScope, names: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const seen = new Set<string>();
  for (const chunk of chunks([...names], IDS_A_STATEMENT)) {
    const query = knex('tags').join('site_tags', 'site_tags.tag_id', 'tags.id').whereIn('tags.name', chunk);
    whereInScope(knex, query, scope, 'site_tags.site_id');
    for (const name of await query.distinct('tags.name').pluck<string[]>('tags.name')) seen.add(name);
  }
  return seen;
}
