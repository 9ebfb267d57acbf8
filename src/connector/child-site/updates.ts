import type { ChildStats } from './stats.ts';
import type { ChildLink } from './target.ts';

/** Result of one update as reported by the child. Not verified. */
export interface UpgradeClaim {
  slug: string;
  success: boolean;
  /** '' if nothing was unpacked, because the item was current or the download failed. */
  oldVersion: string;
  version: string;
  /** WordPress code of the first error, e.g. `download_failed`. If the child sends none, the code is one of ours. */
  errorCode: string | null;
  message: string | null;
  rolledBack: boolean;
}

export interface UpgradeResult {
  claims: UpgradeClaim[];
  after?: ChildStats;
}

/** A plugin by its main file, or a theme by its stylesheet. */
export interface AutoUpdateTarget {
  type: 'plugin' | 'theme';
  slug: string;
}

export interface UpdateCalls {
  /**
   * Switches the automatic update of an item by WordPress itself on or off (protocol 4.3). Sites do not report this
   * state; the answer is the only proof. The call may be repeated safely.
   */
  switchAutoUpdate(link: ChildLink, item: AutoUpdateTarget, on: boolean): Promise<void>;
  /**
   * True if the plugin is active in the whole network of a multisite. To find out, the child opens the plugin list of
   * the network as the connected administrator. False if the site has no network. Null if the child cannot open its own
   * pages, or if the administrator has no rights in the network.
   */
  isNetworkActive(link: ChildLink, slug: string): Promise<boolean | null>;
  /**
   * True if the child can open the home page as the connected administrator, and the page is not WordPress's error
   * message. This also works if the site is closed to visitors. False if the child cannot open its own pages. Throws
   * if the page says only that the site is busy or in maintenance.
   */
  opensHomePage(link: ChildLink): Promise<boolean>;
  upgradeCore(link: ChildLink): Promise<UpgradeResult>;
  upgradePlugins(link: ChildLink, slugs: readonly string[]): Promise<UpgradeResult>;
  upgradeThemes(link: ChildLink, slugs: readonly string[]): Promise<UpgradeResult>;
  upgradeTranslations(link: ChildLink, slugs: readonly string[]): Promise<UpgradeResult>;
}
