import type { ChildStats } from '../../connector/child-site.ts';
import type { ConflictError } from '../../shared/errors.ts';
import { isOlderVersion } from '../sites/index.ts';
import { packageRefused, type PackageKind, type PackageRef, type StoredPackage } from './package.ts';

/** A plugin or theme on a site. `slug` is the main file of a plugin, such as `forms/forms.php`, or a theme's folder. */
export interface ItemOnSite {
  slug: string;
  name: string;
  version: string;
  active: boolean;
}

/** State of a site that decides if a package suits it. Versions that the site has not reported are null. */
export interface SiteForPackage {
  wpVersion: string | null;
  phpVersion: string | null;
  /** Installed plugins in the folder of the package, or the installed theme. */
  items: (ItemOnSite & { isProtected: boolean })[];
}

export const siteSlugOf = ({ kind, slug, mainFile }: Pick<StoredPackage, 'kind' | 'slug' | 'mainFile'>): string =>
  kind === 'plugin' ? `${slug}/${mainFile}` : slug;

/** Returns the slug in the WordPress.org directory. It is empty for a plugin without a folder, which has no package. */
export const directorySlugOf = (kind: PackageKind, siteSlug: string): string =>
  kind === 'plugin' ? siteSlug.slice(0, Math.max(0, siteSlug.indexOf('/'))) : siteSlug;

export const otherItem = (kind: PackageKind): ConflictError =>
  packageRefused('other_item', `The ${kind} on the site has another main file than the one in the package.`);

export function siteForPackage(
  { wpVersion, phpVersion, plugins, themes }: ChildStats,
  { kind, slug }: Pick<PackageRef, 'kind' | 'slug'>,
): SiteForPackage | undefined {
  const items =
    kind === 'plugin'
      ? plugins
          ?.filter((plugin) => plugin.slug.startsWith(`${slug}/`))
          .map(({ isChildPlugin, mustUse, ...plugin }) => ({ ...plugin, isProtected: isChildPlugin || mustUse }))
      : themes?.filter((theme) => theme.slug === slug).map((theme) => ({ ...theme, isProtected: false }));
  return items && { wpVersion, phpVersion, items };
}

export function findItem(site: SiteForPackage, stored: StoredPackage): ItemOnSite | null {
  const item = site.items.find(({ slug }) => slug === siteSlugOf(stored));
  return item ? { slug: item.slug, name: item.name, version: item.version, active: item.active } : null;
}

export function refuseUnfitPackage(site: SiteForPackage, stored: StoredPackage): void {
  const { requiresWordpress, requiresPhp, kind } = stored;
  if (site.items.some(({ isProtected }) => isProtected))
    throw packageRefused('protected', 'The child plugin and must-use plugins are not replaced.');
  if (site.items.length > 0 && !findItem(site, stored)) throw otherItem(kind);
  if (isTooOld(site.wpVersion, requiresWordpress))
    throw packageRefused('wordpress_too_old', `The ${kind} requires WordPress ${requiresWordpress}.`);
  if (isTooOld(site.phpVersion, requiresPhp))
    throw packageRefused('php_too_old', `The ${kind} requires PHP ${requiresPhp}.`);
}

const isTooOld = (version: string | null, required: string | null): boolean =>
  version !== null && required !== null && isOlderVersion(version, required);
