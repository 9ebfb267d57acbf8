import type { ChildStats } from './stats.ts';
import type { ChildLink } from './target.ts';

/** What the child says came of one update. A claim, not a proof. */
export interface UpgradeClaim {
  slug: string;
  success: boolean;
  /** '' when nothing was unpacked: it was current already, or the download failed. */
  oldVersion: string;
  /** The version that the child says is installed now; '' when it names none. */
  version: string;
  /** WordPress' own code of what went wrong first, e.g. `download_failed`; or ours, where the child names none. */
  errorCode: string | null;
  /** The child's own sentence about it, as plain text. */
  message: string | null;
  /** WordPress says that it put the old version back. */
  rolledBack: boolean;
}

export interface UpgradeAnswer {
  /** An item that is missing was passed over. */
  claims: UpgradeClaim[];
  /** State after the updates, from the same answer; undefined when the child sent none. */
  after?: ChildStats;
}

export interface UpdateCalls {
  /** Updates WordPress itself; its claim goes by the slug `wordpress`. */
  upgradeCore(link: ChildLink): Promise<UpgradeAnswer>;
  upgradePlugins(link: ChildLink, slugs: readonly string[]): Promise<UpgradeAnswer>;
  upgradeThemes(link: ChildLink, slugs: readonly string[]): Promise<UpgradeAnswer>;
  /** All languages of a slug go together. */
  upgradeTranslations(link: ChildLink, slugs: readonly string[]): Promise<UpgradeAnswer>;
}
