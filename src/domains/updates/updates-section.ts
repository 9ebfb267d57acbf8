import type { ChildUpdate, UpdateType } from '../../connector/child-site.ts';
import { canonical, cut, replaceRows } from '../../db/replace-rows.ts';
import type { SyncSection } from '../sites/index.ts';

/** Core, plugin, theme and translation updates that wait on a site; the translations of one item count once. */
export const updatesSection: SyncSection<ChildUpdate[]> = {
  name: 'updates',
  subjects: ['updates'],
  read: ({ updates }) =>
    updates &&
    canonical(
      updates.map(({ type, slug, name, currentVersion, newVersion }) => ({
        type,
        slug: cut(slug, 255),
        name: cut(name, 255),
        currentVersion: cut(currentVersion, 64),
        newVersion: cut(newVersion, 64),
      })),
      ({ type, slug }) => `${type} ${slug}`,
    ),
  async write(trx, site, updates) {
    const rows = updates.map(({ type, slug, name, currentVersion, newVersion }) => ({
      type,
      slug,
      name,
      current_version: currentVersion,
      new_version: newVersion,
      site_key: site.urlKey,
    }));
    // `ignored` is ours and not the child's: a row that stays keeps it.
    await replaceRows(
      trx,
      {
        table: 'site_updates',
        scope: { site_id: site.id },
        key: ['type', 'slug'],
        columns: ['name', 'current_version', 'new_version', 'site_key'],
      },
      rows,
    );
    const count = (of: UpdateType): number => updates.filter(({ type }) => type === of).length;
    return {
      core_updates: count('core'),
      plugin_updates: count('plugin'),
      theme_updates: count('theme'),
      translation_updates: count('translation'),
    };
  },
};
