import { sentenceIn } from './sentences.ts';

/**
 * What WordPress' updaters print before the frame of the child's answer: a log for people, in the site's language. How
 * far it got tells the cause in any language; where it holds a sentence, that says more than the frame does.
 */

/** A paragraph for each step of core and translations: the download, the unpacking, the copying. */
const STEP = /<p>[^\n]{0,2000}&#8230;<\/p>/g;
const STRONG = /<strong>([^<]{1,2000})<\/strong>/g;
const TRANSLATION_ERROR = /<div class="lp-error"><p>([^\n]{1,2000}?)<\/p>/;

const stepsIn = (html: string): number => html.match(STEP)?.length ?? 0;

/** Codes by the number of steps that were taken; further on more than one cause is possible. */
const BY_STEPS = ['no_package', 'download_failed'] as const;

/** A core update that failed: the child gives neither a code nor a text. */
export const codeOfPreface = (preface: string): string => BY_STEPS[stepsIn(preface)] ?? 'install_failed';

/** The same for translations, where a sentence stands after the last step. */
export function codeOfTranslationPreface(preface: string): string | null {
  const at = preface.search(TRANSLATION_ERROR);
  if (at < 0) return null;
  return [...BY_STEPS, 'incompatible_archive'][stepsIn(preface.slice(0, at))] ?? 'install_failed';
}

export const translationErrorIn = (preface: string): string | null => TRANSLATION_ERROR.exec(preface)?.[1] ?? null;

/** The longer form of a sentence of the frame, with the names of files for one. */
export function detailIn(preface: string, errorText: string | null): string | null {
  if (errorText === null) return null;
  for (const [, html = ''] of preface.matchAll(STRONG)) if (sentenceIn(html).startsWith(errorText)) return html;
  return null;
}
