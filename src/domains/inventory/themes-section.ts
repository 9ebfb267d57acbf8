import type { Knex } from 'knex';
import type { ChildTheme } from '../../connector/child-site.ts';
import { sortAndDeduplicate, replaceRows, type SiteRows, type SiteTable } from '../../db/replace-rows.ts';
import { truncate } from '../../shared/text.ts';
import type { SyncSection } from '../sites/index.ts';
import { isActiveThemeAmbiguous, keepOneActiveTheme } from './inventory.ts';

type ThemeRow = {
  site_id: number;
  slug: string;
  name: string;
  version: string;
  active: number;
  parent_of_active: number;
};

const TABLE: SiteTable<ThemeRow> = {
  table: 'site_themes',
  key: ['slug'],
  columns: ['name', 'version', 'active', 'parent_of_active'],
};

export const themesSection: SyncSection<ChildTheme[]> = {
  name: 'themes',
  subjects: [],
  read: ({ themes }) =>
    themes &&
    sortAndDeduplicate(
      themes.map(({ slug, name, version, active, parentOfActive }) => ({
        slug: truncate(slug, 255),
        name: truncate(name, 255),
        version: truncate(version, 64),
        active,
        parentOfActive,
      })),
      ({ slug }) => slug,
    ),
  write: async (trx, values) => {
    const sites: SiteRows<ThemeRow>[] = [];
    for (const { site, value: themes, isFirst } of values) {
      const stored = isActiveThemeAmbiguous(themes) ? await storedActiveTheme(trx, site.id) : null;
      const rows = keepOneActiveTheme(themes, stored).map(({ slug, name, version, active, parentOfActive }) => ({
        site_id: site.id,
        slug,
        name,
        version,
        active: Number(active),
        parent_of_active: Number(parentOfActive),
      }));
      sites.push({ siteId: site.id, isFirst, rows });
    }
    await replaceRows(trx, TABLE, sites);
  },
};

async function storedActiveTheme(trx: Knex.Transaction, siteId: number): Promise<string | null> {
  const stored = await trx('site_themes').where({ site_id: siteId, active: 1 }).limit(2).pluck<string[]>('slug');
  return stored.length === 1 ? (stored[0] ?? null) : null;
}
