import { sanitizeMessage } from './sanitize-message.ts';

/**
 * WordPress updaters print a log before the frame that contains the child's response. The log is written in the site's
 * language, but the number of its steps shows the cause of an error in any language. An error sentence in the log is
 * more specific than the one in the frame.
 */

/** Matches the paragraph of one step of a core or translation update: the download, the unpacking, the copying. */
const STEP = /<p>[^\n]{0,2000}&#8230;<\/p>/g;
const STRONG = /<strong>([^<]{1,2000})<\/strong>/g;
const TRANSLATION_ERROR = /<div class="lp-error"><p>([^\n]{1,2000}?)<\/p>/;

const countUpgradeSteps = (html: string): number => html.match(STEP)?.length ?? 0;

/** Error codes by the number of steps in the log. With more steps, more than one cause is possible. */
const BY_STEPS = ['no_package', 'download_failed'] as const;

/** Returns the code of a failed core update from the log, because the child sends neither a code nor a text. */
export const coreErrorCodeFromLog = (preface: string): string =>
  BY_STEPS[countUpgradeSteps(preface)] ?? 'install_failed';

export function translationErrorCodeFromLog(preface: string): string | null {
  const at = preface.search(TRANSLATION_ERROR);
  if (at < 0) return null;
  return [...BY_STEPS, 'incompatible_archive'][countUpgradeSteps(preface.slice(0, at))] ?? 'install_failed';
}

export const translationErrorFromLog = (preface: string): string | null => TRANSLATION_ERROR.exec(preface)?.[1] ?? null;

export function detailedErrorFromLog(preface: string, errorText: string | null): string | null {
  if (errorText === null) return null;
  for (const [, html = ''] of preface.matchAll(STRONG)) if (sanitizeMessage(html).startsWith(errorText)) return html;
  return null;
}
