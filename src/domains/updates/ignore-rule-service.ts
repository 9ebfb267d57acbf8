import type { Knex } from 'knex';
import { bumpRevision } from '../../db/revisions.ts';
import { inTransaction } from '../../db/transaction.ts';
import { describeChangedObject } from '../../shared/changed-object.ts';
import type { Clock } from '../../shared/clock.ts';
import { throwFieldError } from '../../shared/field-errors.ts';
import type { ChangeLog } from '../changes/index.ts';
import { SiteRepository, type SiteWithUrlKey } from '../sites/index.ts';
import { applyUpdateRules } from './apply-update-rules.ts';
import { IgnoredUpdatesRepository } from './ignored-updates-repository.ts';
import { CORE_SLUG, ALL_ITEMS_SLUG, type IgnorableType } from './update.ts';

export interface IgnoreRuleChange {
  type: IgnorableType;
  /**
   * Empty means the whole type: `ignored: true` adds one rule for all current and future items, and `ignored: false`
   * removes all rules of the type.
   */
  slugs: readonly string[];
  ignored: boolean;
}

interface IgnoreRuleServiceDeps {
  knex: Knex;
  clock: Clock;
  changeLog: ChangeLog;
}

/**
 * Manages the updates that are ignored on a site. A rule applies to all versions of one item, which need not be
 * installed, or to all items of a type. A change of a rule and a sync of one site both lock the state of the site, so
 * the flags of the updates, the counters of the site and the rules always agree.
 */
export class IgnoreRuleService {
  readonly #deps: IgnoreRuleServiceDeps;

  constructor(deps: IgnoreRuleServiceDeps) {
    this.#deps = deps;
  }

  async set(site: SiteWithUrlKey, { type, slugs, ignored }: IgnoreRuleChange, actor: string): Promise<string[]> {
    if (type === 'core' && slugs.some((slug) => slug !== CORE_SLUG)) throwFieldError('slug', `must be ${CORE_SLUG}`);
    const { knex, clock, changeLog } = this.#deps;
    const now = clock.now();
    return inTransaction(knex, async ({ trx }) => {
      // Lock before reading, so that the committed changes of a sync or another rule are visible.
      await new SiteRepository(trx, now).lockSyncCheckpoint(site.id);
      const rules = new IgnoredUpdatesRepository(trx);
      const known = new Set(await rules.slugs(site.id, type));
      const meant = slugs.length > 0 ? slugs : ignored ? [allItemsSlug(type)] : known;
      const changed = [...new Set(meant)].filter((slug) => known.has(slug) !== ignored);
      if (changed.length === 0) return [...known];
      if (ignored) {
        const names = await rules.names(site.id, type, changed);
        const items = changed.map((slug) => ({ slug, name: names.get(slug) ?? slug }));
        await rules.insert(site, type, items, now);
      } else await rules.delete(site.id, type, changed);
      await applyUpdateRules(trx, site.id, type, now);
      await changeLog.append(
        trx,
        ...changed.map((slug) => ignoreRuleChangeForChangeLog(site, type, slug, ignored, actor)),
      );
      const ignoredNow = await rules.slugs(site.id, type);
      await bumpRevision(trx, 'updates');
      return ignoredNow;
    });
  }
}

export const allItemsSlug = (type: IgnorableType): string => (type === 'core' ? CORE_SLUG : ALL_ITEMS_SLUG);

const ignoreRuleChangeForChangeLog = (
  site: SiteWithUrlKey,
  type: IgnorableType,
  slug: string,
  ignored: boolean,
  actor: string,
) => ({
  siteId: site.id,
  type: ignored ? 'update.ignored' : 'update.unignored',
  description:
    `Updates of ${slug === ALL_ITEMS_SLUG ? `all ${type}s` : `the ${type} ${slug}`} ` +
    `are ${ignored ? 'ignored' : 'no longer ignored'}.`,
  actor,
  thing: describeChangedObject({ name: slug, key: slug }, { ignored: !ignored }, { ignored }),
});
