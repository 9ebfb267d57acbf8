import type { Knex } from 'knex';
import { bumpRevision } from '../../db/revisions.ts';
import type { Change } from '../changes/index.ts';
import { SiteRepository } from '../sites/index.ts';
import { IgnoredUpdatesRepository } from './ignored-updates-repository.ts';
import { counterColumns, UpdateRepository } from './update-repository.ts';

/** `slug` is the main file before the update, and `newSlug` the one after it. */
export interface RenamedPlugin {
  slug: string;
  newSlug: string;
}

/**
 * Moves the rules of renamed plugins to their new files, so that their updates stay ignored. Returns an entry for the
 * change log for each moved rule.
 */
export async function moveIgnoreRules(
  trx: Knex.Transaction,
  siteId: number,
  renamed: readonly RenamedPlugin[],
  now: number,
): Promise<Change[]> {
  if (renamed.length === 0) return [];
  const states = new SiteRepository(trx, now);
  // Syncs and changes of rules take the same lock.
  await states.lockSyncCheckpoint(siteId);
  const rules = new IgnoredUpdatesRepository(trx);
  const known = new Set(await rules.slugs(siteId, 'plugin'));
  const moved = renamed.filter(({ slug }) => known.has(slug));
  if (moved.length === 0) return [];
  for (const { slug, newSlug } of moved) if (!known.has(newSlug)) await rules.rename(siteId, 'plugin', slug, newSlug);
  await rules.delete(
    siteId,
    'plugin',
    moved.map(({ slug }) => slug),
  );
  const updates = new UpdateRepository(trx);
  await updates.refreshIgnored(siteId, 'plugin');
  await states.patchState(siteId, counterColumns(await updates.counts(siteId)));
  await bumpRevision(trx, 'updates');
  return moved.map(({ slug, newSlug }) => ({
    siteId,
    type: 'update.ignored',
    description: `Updates of the plugin ${newSlug} are ignored, because they were when its main file was ${slug}.`,
    actor: 'system',
    thing: { name: newSlug, key: newSlug, after: { ignored: 'true' } },
  }));
}
