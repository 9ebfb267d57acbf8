import type { components } from '../../../../generated/abilities.ts';
import { healthScore, type Site, type SiteDetail } from '../../../domains/sites/index.ts';
import { toIso } from '../../../shared/clock.ts';
import type { Page } from '../../../shared/paging.ts';
import type { DeletionEffects } from '../../../shared/deletion-effects.ts';

type Schemas = components['schemas'];

export const siteView = ({ id, url, name, status, clientId }: Site): Schemas['Site'] => ({
  id,
  url,
  name,
  status,
  client_id: clientId,
});

export const sitePageView = ({ items, page, perPage, total }: Page<Site>) => ({
  items: items.map(siteView),
  page,
  per_page: perPage,
  total,
});

export const siteBriefView = ({ id, url, name }: Site): Schemas['SiteBrief'] => ({ id, url, name });

export const siteDetailView = (site: SiteDetail): Schemas['SiteDetail'] => ({
  ...siteView(site),
  wp_version: site.wpVersion,
  php_version: site.phpVersion,
  last_sync: toIso(site.lastSyncAt),
  admin_username: site.adminUsername,
  child_version: site.childVersion,
  notes: site.notes,
});

export const siteStatsView = ({ counters, health }: SiteDetail): Schemas['SiteStats'] => ({
  plugin_updates: counters.pluginUpdates,
  theme_updates: counters.themeUpdates,
  wp_update_available: counters.coreUpdates > 0,
  health_score: healthScore(health),
});

export const siteStateView = ({
  id,
  url,
  status,
}: Site): { site_id: number; site_url: string; status: Site['status'] } => ({
  site_id: id,
  site_url: url,
  status,
});

export function deletePreviewView(site: Site, effects: DeletionEffects<'site'>): Schemas['DeleteSitePreview'] {
  return {
    dry_run: true,
    deleted: false,
    site_id: site.id,
    site_url: site.url,
    would_affect: effects,
  };
}
