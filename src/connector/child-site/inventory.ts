import type { AbandonedItem, ChildStats } from './stats.ts';
import type { ChildLink } from './target.ts';

export interface ItemActionResult {
  /** Slugs that the child reports as processed. Not verified. */
  claimed: string[];
  refusals: { slug: string; reason: 'active_theme' | 'parent_of_active_theme' }[];
  /**
   * Slug of the theme that was active before an activation. Elsewhere, the child identifies the active theme only by
   * its name, which other themes can have.
   */
  replaced?: string;
  after?: ChildStats;
}

export interface PackageInstall {
  kind: 'plugin' | 'theme';
  url: string;
  /** Secret part of the address, which must not be shown if the site repeats it. */
  secret: string;
  overwrite: boolean;
  activate: boolean;
}

export interface InventoryCalls {
  pluginAction(
    link: ChildLink,
    action: 'activate' | 'deactivate' | 'delete',
    slugs: readonly string[],
  ): Promise<ItemActionResult>;
  themeAction(link: ChildLink, action: 'activate' | 'delete', slugs: readonly string[]): Promise<ItemActionResult>;
  /** Returns nothing, because the child reports success for every zip that it can unpack. Read the state afterwards. */
  installPackage(link: ChildLink, install: PackageInstall): Promise<void>;
  /** Makes the child check its next ten plugins or themes. Returns all items that it then knows to be abandoned. */
  checkAbandoned(link: ChildLink, kind: AbandonedItem['kind']): Promise<AbandonedItem[]>;
}
