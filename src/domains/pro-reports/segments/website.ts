import { toIso } from '../../../shared/clock.ts';
import { healthScore } from '../../sites/index.ts';
import { emptySegmentContent, defineSegment } from '../segment.ts';

const NOTHING = {
  plugins_total: 0,
  plugins_active: 0,
  themes_total: 0,
  core_updates: 0,
  plugin_updates: 0,
  theme_updates: 0,
  translation_updates: 0,
};

export const website = defineSegment({
  name: 'website',
  tokens: { kind: 'site' },
  async read(sources) {
    const [record, { plugins, themes, activeTheme }, client] = await Promise.all([
      sources.record(),
      sources.inventory(),
      sources.client(),
    ]);
    if (!record) return emptySegmentContent(NOTHING);
    const { coreUpdates, pluginUpdates, themeUpdates, translationUpdates } = record.counters;
    return {
      source: 'site',
      items: [],
      total: 0,
      counts: {
        plugins_total: plugins.length,
        plugins_active: plugins.filter(({ active }) => active).length,
        themes_total: themes.length,
        core_updates: coreUpdates,
        plugin_updates: pluginUpdates,
        theme_updates: themeUpdates,
        translation_updates: translationUpdates,
      },
      summary: {
        name: record.name,
        url: record.url,
        status: record.status,
        core_version: record.wpVersion,
        php_version: record.phpVersion,
        db_version: record.dbVersion,
        ip: record.ip,
        active_theme: themes.find(({ slug }) => slug === activeTheme)?.name ?? null,
        health_score: healthScore(record.health),
        last_sync: toIso(record.lastSyncAt),
        read_at: toIso(record.stateReadAt),
        tags: record.tags.map(({ name }) => name),
        client: client?.name ?? null,
      },
    };
  },
});
