import type { ReportItem } from '../pro-reports/index.ts';
import type { ReportFormats } from './report-formats.ts';
import { cleanText } from './texts.ts';

/** Clients of an agency must not see the plugins that connect a site, or the name of this product. */
const HIDDEN_SLUG = /^mainwp-child/i;
const HIDDEN_NAME = /\b(mainwp|sitefleet)\b/i;

export function softwareName({ name, slug }: ReportItem, formats: ReportFormats): string {
  const [shown, key] = [String(name ?? ''), String(slug ?? '')];
  return HIDDEN_SLUG.test(key) || HIDDEN_NAME.test(shown) ? formats.text('software.connection') : cleanText(shown);
}
