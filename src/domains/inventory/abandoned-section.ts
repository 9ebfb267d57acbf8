import type { AbandonedItem, PartialList } from '../../connector/child-site.ts';
import { sortAndDeduplicate, replaceRows } from '../../db/replace-rows.ts';
import { truncate } from '../../shared/text.ts';
import type { SyncSection } from '../sites/index.ts';

export const normalizeAbandonedItems = (abandoned: readonly AbandonedItem[]): AbandonedItem[] =>
  sortAndDeduplicate(
    abandoned.map(({ kind, slug, name, version, lastUpdatedAt }) => ({
      kind,
      slug: truncate(slug, 255),
      name: truncate(name, 255),
      version: truncate(version, 64),
      lastUpdatedAt,
    })),
    ({ kind, slug }) => `${kind} ${slug}`,
  );

export const abandonedSection: SyncSection<PartialList<AbandonedItem['kind'], AbandonedItem>> = {
  name: 'abandoned',
  subjects: ['abandoned'],
  read: ({ abandoned }) => abandoned && { kinds: abandoned.kinds, items: normalizeAbandonedItems(abandoned.items) },
  write: (trx, values) =>
    replaceRows(
      trx,
      { table: 'site_abandoned', key: ['kind', 'slug'], columns: ['name', 'version', 'last_updated_at', 'site_key'] },
      values.map(({ site, value: { kinds, items }, isFirst }) => ({
        siteId: site.id,
        isFirst,
        among: { column: 'kind' as const, values: kinds },
        rows: items.map(({ kind, slug, name, version, lastUpdatedAt }) => ({
          site_id: site.id,
          kind,
          slug,
          name,
          version,
          last_updated_at: lastUpdatedAt,
          site_key: site.urlKey,
        })),
      })),
    ),
};
