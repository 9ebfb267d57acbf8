import { unslash } from '../protocol/form.ts';

/** Filters that WordPress applies to the texts of a user, regardless of how they are submitted (protocol 4.6). */

/**
 * Filters first name, last name, nickname and display name. Removes line breaks, tags, and sequences that look
 * percent-encoded.
 */
export function storedName(sent: string): string {
  const line = oneLine(keepOpenTags(sent).replace(/<[a-z!/?][^>]*>/gi, ''));
  const decoded = line.replace(/%[\da-f]{2}/gi, '');
  return stored(decoded === line ? line : oneLine(decoded));
}

/** Filters a description. Keeps lines, and tags that are allowed in comments. */
export const storedDescription = (sent: string): string => stored(sent.trim());

/** Escapes ampersands, as the database stores them. */
export const storedUrl = (sent: string): string => sent.replace(/&(?!amp;|#038;)/g, '&amp;');

/** Converts a stored URL to the form in which an editor reads it. */
export const editedUrl = (url: string): string => url.replaceAll('&amp;', '&#038;');

const TAGS_OF_COMMENTS = /^<\/?(?:a|abbr|acronym|b|blockquote|cite|code|del|em|i|q|s|strike|strong)\b/i;

/** Removes tags that are not allowed, escapes ampersands, and removes one level of backslashes. */
const stored = (text: string): string =>
  unslash(
    keepOpenTags(text)
      .replace(/<[^>]*>/g, (tag) => (TAGS_OF_COMMENTS.test(tag) ? tag : ''))
      .replace(/&(?!(?:#\d{1,7}|[a-z][a-z\d]{1,30});)/gi, '&amp;'),
  );

/** Escapes each `<` that is not closed. */
const keepOpenTags = (text: string): string => text.replace(/<(?=[^>]*$)/g, '&lt;');

const oneLine = (text: string): string => text.replace(/[\r\n\t ]+/g, ' ').trim();
