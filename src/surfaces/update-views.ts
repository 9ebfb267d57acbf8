interface UpdateTarget<Type> {
  siteId: number;
  siteUrl: string;
  siteName: string;
  type: Type;
  slug: string;
  name: string;
}

export const updateTargetView = <Type>({ siteId, siteUrl, siteName, type, slug, name }: UpdateTarget<Type>) => ({
  site_id: siteId,
  site_url: siteUrl,
  site_name: siteName,
  type,
  slug,
  name,
});

interface AvailableUpdate<Type> extends UpdateTarget<Type> {
  currentVersion: string;
  newVersion: string;
}

/**
 * Returns the view of an update. Lists each field: copying them with a spread (`...`) would take a tenth of the time of
 * a whole page.
 */
export const availableUpdateView = <Type>(update: AvailableUpdate<Type>) => ({
  site_id: update.siteId,
  site_url: update.siteUrl,
  site_name: update.siteName,
  type: update.type,
  slug: update.slug,
  name: update.name,
  current_version: update.currentVersion,
  new_version: update.newVersion,
});

export const ignoredUpdateView = <Type>(update: UpdateTarget<Type>) => ({
  ...updateTargetView(update),
  ignored_version: 'all_versions' as const,
});

type CountsByType = Record<'core' | 'plugin' | 'theme' | 'translation', number>;

export const updateCountsView = ({ core, plugin, theme, translation }: CountsByType) => ({
  core,
  plugins: plugin,
  themes: theme,
  translations: translation,
});

export const updateSummaryView = (counts: CountsByType) => ({
  ...updateCountsView(counts),
  total: counts.core + counts.plugin + counts.theme + counts.translation,
});
