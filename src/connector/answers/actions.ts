import type { ItemActionResult } from '../child-site.ts';
import { stateAfter } from './stats.ts';
import { asObject, entriesOf, field, itemsOf, slugOf } from './values.ts';

const MAX_ITEMS = 2_000;

/** Decodes `plugin_action` and `theme_action` (protocol 4.2). Returns null if the response has neither known form. */
export function decodeItemAction(value: unknown, kind: 'plugin' | 'theme'): ItemActionResult | null {
  const answer = asObject(value);
  if (!answer) return null;
  const refusals = [
    ...refusedAs(field(asObject(field(answer, 'error')), 'is_activated_theme'), 'active_theme' as const),
    ...refusedAs(field(asObject(field(answer, 'error')), 'is_activated_parent'), 'parent_of_active_theme' as const),
  ];
  const status = field(answer, 'status');
  if (status !== 'SUCCESS' && status !== 'FAIL' && refusals.length === 0) return null;
  const data = field(asObject(field(answer, 'other_data')), `${kind}_action_data`);
  const claimed = status === 'FAIL' ? [] : (entriesOf(data, MAX_ITEMS) ?? []).map(([slug]) => slugOf(slug));
  return { claimed: claimed.filter((slug) => slug !== null), refusals, ...stateAfter(answer) };
}

function refusedAs<R extends string>(value: unknown, reason: R): { slug: string; reason: R }[] {
  const slugs = typeof value === 'string' ? value.split(',') : (itemsOf(value, MAX_ITEMS) ?? []);
  return slugs.map(slugOf).flatMap((slug) => (slug === null ? [] : [{ slug, reason }]));
}
