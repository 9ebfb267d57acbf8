import type { AbandonedItem, ChildStats } from './stats.ts';
import type { ChildLink } from './target.ts';

/** Outcome of an action on plugins or themes: what the child claims, and the state that it read back. */
export interface ItemActionAnswer {
  /** Slugs that the child says it worked on. A claim, not a proof. */
  claimed: string[];
  /** Slugs that the child refused, with its reason. */
  refusals: { slug: string; reason: 'active_theme' | 'parent_of_active_theme' }[];
  /** State after the action, from the same answer; undefined when the child sent none. */
  after?: ChildStats;
}

export interface InventoryCalls {
  pluginAction(
    link: ChildLink,
    action: 'activate' | 'deactivate' | 'delete',
    slugs: readonly string[],
  ): Promise<ItemActionAnswer>;
  themeAction(link: ChildLink, action: 'activate' | 'delete', slugs: readonly string[]): Promise<ItemActionAnswer>;
  /** Has the child look up its next ten plugins or themes; all that it knows to be abandoned by then. */
  checkAbandoned(link: ChildLink, kind: AbandonedItem['kind']): Promise<AbandonedItem[]>;
}
