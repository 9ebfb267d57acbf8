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

interface Waiting<Type> extends UpdateSubject<Type> {
  currentVersion: string;
  newVersion: string;
}

/** Written out: a spread before other fields costs a page of a list a tenth of its time. */
export const listedView = <Type>(update: Waiting<Type>) => ({
  site_id: update.siteId,
  site_url: update.siteUrl,
  site_name: update.siteName,
  type: update.type,
  slug: update.slug,
  name: update.name,
  current_version: update.currentVersion,
  new_version: update.newVersion,
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
