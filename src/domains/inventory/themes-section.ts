import type { ChildTheme } from '../../connector/child-site.ts';
import { sortAndDeduplicate, replaceRows } from '../../db/replace-rows.ts';
import { truncate } from '../../shared/text.ts';
import type { SyncSection } from '../sites/index.ts';
import { keepOneActiveTheme } from './inventory.ts';

export const themesSection: SyncSection<ChildTheme[]> = {
  name: 'themes',
  subjects: [],
  read: ({ themes }) =>
    themes &&
    sortAndDeduplicate(
      keepOneActiveTheme(themes).map(({ slug, name, version, active, parentOfActive }) => ({
        slug: truncate(slug, 255),
        name: truncate(name, 255),
        version: truncate(version, 64),
        active,
        parentOfActive,
      })),
      ({ slug }) => slug,
    ),
  write: (trx, site, themes, writing) =>
    replaceRows(
      trx,
      {
        table: 'site_themes',
        scope: { site_id: site.id },
        key: ['slug'],
        columns: ['name', 'version', 'active', 'parent_of_active'],
      },
      themes.map(({ slug, name, version, active, parentOfActive }) => ({
        site_id: site.id,
        slug,
        name,
        version,
        active: Number(active),
        parent_of_active: Number(parentOfActive),
      })),
      writing,
    ),
};
