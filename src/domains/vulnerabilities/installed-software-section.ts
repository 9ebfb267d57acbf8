import type { Knex } from 'knex';
import type { ChildStats } from '../../connector/child-site.ts';
import { sortAndDeduplicate } from '../../db/replace-rows.ts';
import type { SyncSection } from '../../platform/part.ts';
import { truncate } from '../../shared/text.ts';
import { FeedRepository } from './feed-repository.ts';
import {
  InstalledSoftwareRepository,
  type InstalledSoftware,
  type ReportedSoftware,
} from './installed-software-repository.ts';
import type { ExposureMatcher } from './exposure-matcher.ts';
import { CORE_SLUG, ITEM_TYPES, toPluginFeedSlugs, slugInFeeds, type ItemType } from './vulnerability.ts';

interface InstalledSoftwareSectionDeps {
  matching: ExposureMatcher;
  isActive: (trx: Knex) => Promise<boolean>;
}

const READERS: Readonly<Record<ItemType, (stats: ChildStats) => InstalledSoftware[] | undefined>> = {
  plugin: ({ plugins }) => {
    if (!plugins) return undefined;
    const slugs = toPluginFeedSlugs(plugins.map(({ slug, name, mustUse }) => ({ item: slug, name, mustUse })));
    return plugins.map(({ slug, name, version }, index) => ({ item: slug, slug: slugs[index] ?? slug, name, version }));
  },
  theme: ({ themes }) =>
    themes?.map(({ slug, name, version }) => ({ item: slug, slug: slugInFeeds('theme', slug), name, version })),
  core: ({ wpVersion }) =>
    wpVersion === null ? undefined : [{ item: CORE_SLUG, slug: CORE_SLUG, name: 'WordPress', version: wpVersion }],
};

const normalizeInstalledSoftware = (items: readonly InstalledSoftware[]): InstalledSoftware[] =>
  sortAndDeduplicate(
    items.map(({ item, slug, name, version }) => ({
      item: truncate(item, 255),
      slug,
      name: truncate(name, 255),
      version: truncate(version, 64),
    })),
    ({ item }) => item,
  );

/**
 * Stores since when each version is installed, and compares changed software with the feeds, in the transaction of the
 * sync. While the module `vulnerabilities` is off, only the times are stored, so that they are correct when the module
 * is on again. The next refresh of a feed makes the comparison that was left out.
 */
export const installedSoftwareSection = ({
  matching,
  isActive,
}: InstalledSoftwareSectionDeps): SyncSection<ReportedSoftware> => ({
  name: 'installed',
  subjects: [],
  table: 'installed_versions',
  read: (stats) => {
    const sent = ITEM_TYPES.flatMap((type) => {
      const items = READERS[type](stats);
      return items ? [[type, normalizeInstalledSoftware(items)] as const] : [];
    });
    return sent.length > 0 ? Object.fromEntries(sent) : undefined;
  },
  async write(trx, values) {
    const changed = await new InstalledSoftwareRepository(trx).replace(trx, values);
    const firstSites = new Set(values.filter(({ isFirst }) => isFirst).map(({ site }) => site.id));
    const siteIds = values.map(({ site }) => site.id);
    const comparable = await matching.comparable(trx, siteIds, changed, { firstSites, changed });
    if (!comparable) return;
    if (await isActive(trx)) await matching.compare(trx, comparable);
    else await new FeedRepository(trx).markDue(changed);
  },
});
