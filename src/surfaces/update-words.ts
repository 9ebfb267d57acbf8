/** What both surfaces say of updates in the same words. */

interface UpdateSubject<Type> {
  siteId: number;
  siteUrl: string;
  siteName: string;
  type: Type;
  slug: string;
  name: string;
}

/** Which site an update is for, and what it updates. */
export const subjectView = <Type>({ siteId, siteUrl, siteName, type, slug, name }: UpdateSubject<Type>) => ({
  site_id: siteId,
  site_url: siteUrl,
  site_name: siteName,
  type,
  slug,
  name,
});

export const ignoredView = <Type>(update: UpdateSubject<Type>) => ({
  ...subjectView(update),
  ignored_version: 'all_versions' as const,
});

type Counts = Record<'core' | 'plugin' | 'theme' | 'translation', number>;

export const countsView = ({ core, plugin, theme, translation }: Counts) => ({
  core,
  plugins: plugin,
  themes: theme,
  translations: translation,
});

export const summaryView = (counts: Counts) => ({
  ...countsView(counts),
  total: counts.core + counts.plugin + counts.theme + counts.translation,
});
