import type { AbandonedItem, ChildStats } from './stats.ts';
import type { ChildLink } from './target.ts';

/** Result of an action on plugins or themes: the report of the child, and the state that it read afterwards. */
export interface ItemActionResult {
  /** Slugs that the child reports as processed. Not verified. */
  claimed: string[];
  refusals: { slug: string; reason: 'active_theme' | 'parent_of_active_theme' }[];
  /** State after the action, from the same response; undefined if the child sent none. */
  after?: ChildStats;
}

export interface InventoryCalls {
  pluginAction(
    link: ChildLink,
    action: 'activate' | 'deactivate' | 'delete',
    slugs: readonly string[],
  ): Promise<ItemActionResult>;
  themeAction(link: ChildLink, action: 'activate' | 'delete', slugs: readonly string[]): Promise<ItemActionResult>;
  /** Makes the child check its next ten plugins or themes. Returns all items that it then knows to be abandoned. */
  checkAbandoned(link: ChildLink, kind: AbandonedItem['kind']): Promise<AbandonedItem[]>;
}
