import type { ItemActionResult } from '../child-site.ts';
import { decodeStateAfterAction } from './stats.ts';
import { asObject, readEntries, readField, readItems, readSlug } from './json-values.ts';

const MAX_ITEMS = 2_000;

/** Decodes `plugin_action` and `theme_action` (protocol 4.2). Returns null if the response has neither known form. */
export function decodeItemAction(value: unknown, kind: 'plugin' | 'theme'): ItemActionResult | null {
  const answer = asObject(value);
  if (!answer) return null;
  const refusals = [
    ...refusedAs(readField(asObject(readField(answer, 'error')), 'is_activated_theme'), 'active_theme' as const),
    ...refusedAs(
      readField(asObject(readField(answer, 'error')), 'is_activated_parent'),
      'parent_of_active_theme' as const,
    ),
  ];
  const status = readField(answer, 'status');
  if (status !== 'SUCCESS' && status !== 'FAIL' && refusals.length === 0) return null;
  const otherData = asObject(readField(answer, 'other_data'));
  const data = readField(otherData, `${kind}_action_data`);
  const [[, theme] = []] = readEntries(readField(otherData, 'theme_deactivate_data'), 1) ?? [];
  const replaced = readSlug(readField(asObject(theme), 'slug'));
  const claimed = status === 'FAIL' ? [] : (readEntries(data, MAX_ITEMS) ?? []).map(([slug]) => readSlug(slug));
  return {
    claimed: claimed.filter((slug) => slug !== null),
    refusals,
    ...(replaced !== null && { replaced }),
    ...decodeStateAfterAction(answer),
  };
}

function refusedAs<R extends string>(value: unknown, reason: R): { slug: string; reason: R }[] {
  const slugs = typeof value === 'string' ? value.split(',') : (readItems(value, MAX_ITEMS) ?? []);
  return slugs.map(readSlug).flatMap((slug) => (slug === null ? [] : [{ slug, reason }]));
}
