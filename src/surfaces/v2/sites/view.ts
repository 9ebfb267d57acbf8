import type { components } from '../../../../generated/v2.ts';
import { healthScore, type BrokenByUpdate, type Site, type SiteRecord } from '../../../domains/sites/index.ts';
import { toIso } from '../../../shared/clock.ts';

type Schemas = components['schemas'];

export const siteBriefView = ({ id, url, name, status, clientId }: Site): Schemas['SiteBrief'] => ({
  id,
  url,
  name,
  status,
  client_id: clientId,
});

export const siteReferenceView = ({
  id,
  url,
  name,
  clientId,
}: Pick<Site, 'id' | 'url' | 'name' | 'clientId'>): Schemas['SiteReference'] => ({
  id,
  url,
  name,
  client_id: clientId,
});

type SiteWithoutTags = Omit<Schemas['Site'], 'tags'>;

/** Returns one object literal, because lists have many of these views, and copying fields takes most of their time. */
export const siteWithoutTagsView = (site: SiteRecord): SiteWithoutTags => ({
  id: site.id,
  url: site.url,
  name: site.name,
  status: site.status,
  client_id: site.clientId,
  suspended: site.status === 'suspended' ? 1 : 0,
  notes: site.notes,
  wp_version: site.wpVersion,
  php_version: site.phpVersion,
  child_version: site.childVersion,
  last_sync: toIso(site.lastSyncAt),
  sync_errors: site.syncError === null ? [] : [{ ...site.syncError, at: toIso(site.syncError.at) }],
  health_score: healthScore(site.health),
  ssl_verify: site.sslVerify,
  last_backup: toIso(site.lastBackupAt),
  broken_by_update: site.brokenByUpdate && brokenByUpdateView(site.brokenByUpdate),
  guard_left: site.guardLeft && { path: site.guardLeft.path, since: toIso(site.guardLeft.since) },
  updates: countsView(site.counters),
});

export const siteView = (site: SiteRecord): Schemas['Site'] => {
  const view: Schemas['Site'] = siteWithoutTagsView(site);
  view.tags = Object.fromEntries(site.tags.map(({ id, name }) => [id, name]));
  return view;
};

/** Returns the content that the ETag depends on. `revision` also counts changes of secrets, which the view lacks. */
export const siteEtagContent = (site: SiteRecord): object => ({ ...siteView(site), revision: site.revision });

const brokenByUpdateView = ({
  since,
  probe = 'home_page',
  statusBefore,
  statusAfter,
  updates,
}: BrokenByUpdate): Schemas['SiteBrokenByUpdate'] => ({
  since: toIso(since),
  probe: probe as Schemas['UpdateHealthProbe'],
  status_before: statusBefore,
  status_after: statusAfter,
  updates: updates.map(({ type, slug, name, fromVersion, toVersion }) => ({
    type: type as Schemas['UpdateType'],
    slug,
    name,
    old_version: fromVersion,
    new_version: toVersion,
  })),
});

function countsView(counters: SiteRecord['counters']): Schemas['SiteUpdateCounts'] {
  const {
    coreUpdates: core,
    pluginUpdates: plugins,
    themeUpdates: themes,
    translationUpdates: translations,
  } = counters;
  return { core, plugins, themes, translations, total: core + plugins + themes + translations };
}
