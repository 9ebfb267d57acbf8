import qs from 'qs';

const NOT_AN_ESCAPE = /%(?![\da-f]{2})/gi;
/** Replaces bytes that are not UTF-8. `rejectUnstorableValues` refuses it and names the field. */
const UNDECODABLE = '\ud800';

/**
 * Parses a query. Of the query parsers of Express, the simple one ignores brackets, and the extended one turns long
 * lists into objects.
 */
export const parseQuery = (text: string): Record<string, unknown> =>
  qs.parse(text, { depth: 8, arrayLimit: 1000, parameterLimit: 1000, decoder: decodeQueryText });

function decodeQueryText(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced.replace(NOT_AN_ESCAPE, '%25'));
  } catch {
    return spaced + UNDECODABLE;
  }
}
