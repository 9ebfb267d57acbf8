import type { ChildUpdate, PartialList, UpdateType } from '../../connector/child-site.ts';
import { canonical, replaceRows } from '../../db/replace-rows.ts';
import { cut } from '../../shared/text.ts';
import type { SyncSection } from '../sites/index.ts';
import { IgnoredUpdatesRepository } from './ignored-updates-repository.ts';
import { countByType, UPDATE_TYPES, type PendingUpdate } from './update.ts';
import { counterColumns, UpdateRepository } from './update-repository.ts';

/** Another version begins to wait anew. */
const keyOf = ({ type, slug, newVersion }: Pick<PendingUpdate, 'type' | 'slug' | 'newVersion'>): string =>
  `${type} ${slug} ${newVersion}`;

/**
 * Core, plugin, theme and translation updates that wait on a site; the translations of one item count once. Those that
 * are ignored are stored with their mark, so that they come back with the rule gone, and are not counted.
 */
export const updatesSection: SyncSection<PartialList<UpdateType, ChildUpdate>> = {
  name: 'updates',
  subjects: ['updates'],
  read: ({ updatesByType }) =>
    updatesByType && {
      kinds: updatesByType.kinds,
      items: canonical(
        updatesByType.items.map(({ type, slug, name, currentVersion, newVersion }) => ({
          type,
          slug: cut(slug, 255),
          name: cut(name, 255),
          currentVersion: cut(currentVersion, 64),
          newVersion: cut(newVersion, 64),
        })),
        ({ type, slug }) => `${type} ${slug}`,
      ),
    },
  async write(trx, site, { kinds, items: updates }, now) {
    // Read under the lock that whoever writes a rule takes as well.
    const isIgnored = await new IgnoredUpdatesRepository(trx).rulesOf(site.id);
    const seen = new Map(
      (await new UpdateRepository(trx).of(site.id)).map((update) => [keyOf(update), update.firstSeenAt]),
    );
    const rows = updates.map(({ type, slug, name, currentVersion, newVersion }) => ({
      type,
      slug,
      name,
      current_version: currentVersion,
      new_version: newVersion,
      site_key: site.urlKey,
      ignored: Number(isIgnored({ type, slug })),
      first_seen_at: seen.get(keyOf({ type, slug, newVersion })) ?? now,
    }));
    const columns = ['name', 'current_version', 'new_version', 'site_key', 'ignored', 'first_seen_at'] as const;
    const table = 'site_updates';
    if (kinds.length === UPDATE_TYPES.length)
      await replaceRows(trx, { table, scope: { site_id: site.id }, key: ['type', 'slug'], columns }, rows);
    else
      for (const type of kinds) {
        const ofType = rows.filter((row) => row.type === type);
        await replaceRows(trx, { table, scope: { site_id: site.id, type }, key: ['slug'], columns }, ofType);
      }
    const counted = counterColumns(countByType(updates.filter((update) => !isIgnored(update))));
    return Object.fromEntries(kinds.map((type) => [`${type}_updates`, counted[`${type}_updates`]]));
  },
};
