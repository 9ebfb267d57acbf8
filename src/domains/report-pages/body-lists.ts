import type { ItemList, ListItem } from './page-content.ts';
import type { ReportFormats } from './report-formats.ts';

/** Maximum numbers of list items for one site. In the report on a client, each site gets only half a page. */
export interface BodyLimits {
  updates: number;
  items: number;
  recommendations: number;
  isWholeReport: boolean;
}

export const SITE_LIMITS: BodyLimits = { updates: 8, items: 5, recommendations: 8, isWholeReport: true };
export const CLIENT_LIMITS: BodyLimits = { updates: 4, items: 3, recommendations: 3, isWholeReport: false };

/** Cuts a list and says how many items are missing. `total` also counts items that are not in `items`. */
export function shortList(
  items: readonly ListItem[],
  {
    title = null,
    sentence = null,
    most,
    total = items.length,
  }: {
    title?: string | null;
    sentence?: string | null;
    most: number;
    total?: number;
  },
  formats: ReportFormats,
): ItemList {
  // A list with one more item is shown completely, because "and 1 more" needs the same space.
  const shown = total === most + 1 && items.length === total ? items : items.slice(0, most);
  const more = total - shown.length;
  return { title, sentence, items: shown, more: more > 0 ? formats.text('list.more', { count: more }) : null };
}

export const plainItem = (text: string, detail: string | null = null): ListItem => ({ text, detail, tone: null });
