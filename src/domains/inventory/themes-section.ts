import type { Knex } from 'knex';
import type { ChildTheme } from '../../connector/child-site.ts';
import { sortAndDeduplicate, replaceRows } from '../../db/replace-rows.ts';
import { truncate } from '../../shared/text.ts';
import type { SyncSection } from '../sites/index.ts';
import { isActiveThemeAmbiguous, keepOneActiveTheme } from './inventory.ts';

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
  write: async (trx, site, themes, writing) =>
    replaceRows(
      trx,
      {
        table: 'site_themes',
        scope: { site_id: site.id },
        key: ['slug'],
        columns: ['name', 'version', 'active', 'parent_of_active'],
      },
      keepOneActiveTheme(themes, isActiveThemeAmbiguous(themes) ? await storedActiveTheme(trx, site.id) : null).map(
        ({ slug, name, version, active, parentOfActive }) => ({
          site_id: site.id,
          slug,
          name,
          version,
          active: Number(active),
          parent_of_active: Number(parentOfActive),
        }),
      ),
      writing,
    ),
};

async function storedActiveTheme(trx: Knex.Transaction, siteId: number): Promise<string | null> {
  const stored = await trx('site_themes').where({ site_id: siteId, active: 1 }).limit(2).pluck<string[]>('slug');
  return stored.length === 1 ? (stored[0] ?? null) : null;
}
