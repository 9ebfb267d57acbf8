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

export interface UpdateCalls {
  upgradeCore(link: ChildLink): Promise<UpgradeResult>;
  upgradePlugins(link: ChildLink, slugs: readonly string[]): Promise<UpgradeResult>;
  upgradeThemes(link: ChildLink, slugs: readonly string[]): Promise<UpgradeResult>;
  upgradeTranslations(link: ChildLink, slugs: readonly string[]): Promise<UpgradeResult>;
}
