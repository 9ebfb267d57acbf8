import type { Knex } from 'knex';
import { bumpRevision } from '../../db/revisions.ts';
import type { Change } from '../changes/index.ts';
import { SiteRepository } from '../sites/index.ts';
import { applyUpdateRules } from './apply-update-rules.ts';
import { IgnoredUpdatesRepository } from './ignored-updates-repository.ts';
import { VersionPinRepository } from './version-pin-repository.ts';

/** `slug` is the main file before the update, and `newSlug` the one after it. */
export interface RenamedPlugin {
  slug: string;
  newSlug: string;
}

interface PluginRules {
  slugs(siteId: number, type: 'plugin'): Promise<string[]>;
  rename(siteId: number, type: 'plugin', slug: string, newSlug: string): Promise<void>;
  delete(siteId: number, type: 'plugin', slugs: readonly string[]): Promise<void>;
}

/**
 * Moves the ignore rules and pins of renamed plugins to their new files, so that their updates stay ignored or pinned.
 * Returns an entry for the change log for each rule and pin.
 */
export async function moveRules(
  trx: Knex.Transaction,
  siteId: number,
  renamed: readonly RenamedPlugin[],
  now: number,
): Promise<Change[]> {
  if (renamed.length === 0) return [];
  // Syncs and changes of rules lock the same row, so none of them runs in between.
  await new SiteRepository(trx, now).lockSyncCheckpoint(siteId);
  const ignored = await moved(new IgnoredUpdatesRepository(trx), siteId, renamed);
  const pinned = await moved(new VersionPinRepository(trx), siteId, renamed);
  if (ignored.length + pinned.length === 0) return [];
  await applyUpdateRules(trx, siteId, 'plugin', now);
  await bumpRevision(trx, 'updates');
  const describe = (rules: readonly RenamedPlugin[], word: 'ignored' | 'pinned'): Change[] =>
    rules.map(({ slug, newSlug }) => ({
      siteId,
      type: `update.${word}`,
      description: `Updates of the plugin ${newSlug} are ${word}, because they were when its main file was ${slug}.`,
      actor: 'system',
      thing: { name: newSlug, key: newSlug, after: { [word]: 'true' } },
    }));
  return [...describe(ignored, 'ignored'), ...describe(pinned, 'pinned')];
}

/** Returns the plugins that had a rule. If the new file already has a rule, that rule is kept. */
async function moved(rules: PluginRules, siteId: number, renamed: readonly RenamedPlugin[]): Promise<RenamedPlugin[]> {
  const known = new Set(await rules.slugs(siteId, 'plugin'));
  const affected = renamed.filter(({ slug }) => known.has(slug));
  if (affected.length === 0) return [];
  for (const { slug, newSlug } of affected)
    if (!known.has(newSlug)) await rules.rename(siteId, 'plugin', slug, newSlug);
  await rules.delete(
    siteId,
    'plugin',
    affected.map(({ slug }) => slug),
  );
  return affected;
}
