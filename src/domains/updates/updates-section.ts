import type { ChildUpdate, PartialList, UpdateType } from '../../connector/child-site.ts';
import { sortAndDeduplicate, readStoredRows, writeRowDifferences, type TableRow } from '../../db/replace-rows.ts';
import type { NewSectionValue } from '../../platform/part.ts';
import { truncate } from '../../shared/text.ts';
import type { SyncSection } from '../sites/index.ts';
import { FixOfferRepository } from '../vulnerabilities/index.ts';
import { flagOf, type UpdateRules } from './left-out.ts';
import { stepNumberOf } from './release-step.ts';
import { countByType } from './update.ts';
import { counterColumns } from './update-repository.ts';
import { UpdateRuleRepository } from './update-rule-repository.ts';

/**
 * Returns the key by which stored and reported updates are compared. It contains the new version, so that
 * `first_seen_at` starts again with each version.
 */
const storedUpdateKeyOf = ({ type, slug, new_version }: TableRow): string => JSON.stringify([type, slug, new_version]);

type OfferedUpdates = PartialList<UpdateType, ChildUpdate>;

const TABLE = {
  table: 'site_updates',
  key: ['type', 'slug'],
  columns: ['name', 'current_version', 'new_version', 'site_key', 'ignored', 'first_seen_at', 'step'],
} as const;

/**
 * Stores the pending core, plugin, theme and translation updates of a site. The translations of one item count once.
 * Updates that are ignored or outside of a pin are stored with a flag and are not counted. They reappear when the rule
 * is removed.
 */
export const updatesSection: SyncSection<OfferedUpdates> = {
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
  async write(trx, values) {
    // A change of the rules takes the same lock as a sync, so the rules cannot change during this write.
    const rulesOf = await new UpdateRuleRepository(trx).ofSites(values.map(({ site }) => site.id));
    const stored = await readStoredRows(
      trx,
      TABLE,
      values.map(({ site, value, isFirst }) => ({
        siteId: site.id,
        isFirst,
        among: { column: 'type', values: value.kinds },
      })),
    );
    const lists = values.map((value) => toList(value, rulesOf(value.site.id), stored.get(value.site.id) ?? []));
    await writeRowDifferences(trx, TABLE, lists, stored);
    const offered = lists.filter(({ isNewlyOffered }) => isNewlyOffered).map(({ siteId }) => siteId);
    if (offered.length > 0) await new FixOfferRepository(trx).mark(offered);
    return new Map(lists.map(({ siteId, counters }) => [siteId, counters]));
  },
};

/** `isNewlyOffered` is true if a version is new that can be installed alone, which excludes translations. */
function toList(
  { site, value: { kinds, items: updates }, now }: NewSectionValue<OfferedUpdates>,
  rules: UpdateRules,
  stored: readonly TableRow[],
) {
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
  const isNewlyOffered = rows.some((row) => row.type !== 'translation' && !seen.has(storedUpdateKeyOf(row)));
  const counted = counterColumns(countByType(updates.filter((update) => rules.leftOut(update) === null)));
  const counters = Object.fromEntries(kinds.map((type) => [`${type}_updates`, counted[`${type}_updates`]]));
  return { siteId: site.id, rows, isNewlyOffered, counters };
}
