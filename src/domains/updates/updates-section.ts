import type { ChildUpdate, PartialList, UpdateType } from '../../connector/child-site.ts';
import { sortAndDeduplicate, readStoredRows, writeRowDifferences, type TableRow } from '../../db/replace-rows.ts';
import { truncate } from '../../shared/text.ts';
import type { SyncSection } from '../sites/index.ts';
import { FixOfferRepository } from '../vulnerabilities/index.ts';
import { flagOf } from './left-out.ts';
import { stepNumberOf } from './release-step.ts';
import { countByType } from './update.ts';
import { counterColumns } from './update-repository.ts';
import { UpdateRuleRepository } from './update-rule-repository.ts';

/**
 * Returns the key by which stored and reported updates are compared. It contains the new version, so that
 * `first_seen_at` starts again with each version.
 */
const storedUpdateKeyOf = ({ type, slug, new_version }: TableRow): string => JSON.stringify([type, slug, new_version]);

/**
 * Stores the pending core, plugin, theme and translation updates of a site. The translations of one item count once.
 * Updates that are ignored or outside of a pin are stored with a flag and are not counted. They reappear when the rule
 * is removed.
 */
export const updatesSection: SyncSection<PartialList<UpdateType, ChildUpdate>> = {
  name: 'updates',
  subjects: ['updates'],
  read: ({ updatesByType }) =>
    updatesByType && {
      kinds: updatesByType.kinds,
      items: sortAndDeduplicate(
        updatesByType.items.map(({ type, slug, name, currentVersion, newVersion }) => ({
          type,
          slug: truncate(slug, 255),
          name: truncate(name, 255),
          currentVersion: truncate(currentVersion, 64),
          newVersion: truncate(newVersion, 64),
        })),
        ({ type, slug }) => `${type} ${slug}`,
      ),
    },
  async write(trx, site, { kinds, items: updates }, { now, isFirst }) {
    // A change of the rules takes the same lock as a sync, so the rules cannot change during this write.
    const rules = await new UpdateRuleRepository(trx).of(site.id);
    const set = {
      table: 'site_updates',
      scope: { site_id: site.id },
      key: ['type', 'slug'],
      columns: ['name', 'current_version', 'new_version', 'site_key', 'ignored', 'first_seen_at', 'step'],
      among: { column: 'type', values: kinds },
    } as const;
    const stored = await readStoredRows(trx, set, { isFirst });
    const seen = new Map(stored.map((row) => [storedUpdateKeyOf(row), row['first_seen_at']]));
    const rows = updates.map(({ type, slug, name, currentVersion, newVersion }) => ({
      site_id: site.id,
      type,
      slug,
      name,
      current_version: currentVersion,
      new_version: newVersion,
      site_key: site.urlKey,
      ignored: flagOf(rules.leftOut({ type, slug, newVersion })),
      first_seen_at: seen.get(storedUpdateKeyOf({ type, slug, new_version: newVersion })) ?? now,
      step: stepNumberOf({ type, currentVersion, newVersion }),
    }));
    await writeRowDifferences(trx, set, rows, stored);
    const isOffered = rows.some((row) => row.type !== 'translation' && !seen.has(storedUpdateKeyOf(row)));
    if (isOffered) await new FixOfferRepository(trx).mark([site.id]);
    const counted = counterColumns(countByType(updates.filter((update) => rules.leftOut(update) === null)));
    return Object.fromEntries(kinds.map((type) => [`${type}_updates`, counted[`${type}_updates`]]));
  },
};
