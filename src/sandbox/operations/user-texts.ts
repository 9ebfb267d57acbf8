import { unslash } from '../protocol/form.ts';

/** What WordPress makes of the texts of a user, whichever way they come in (protocol 4.6). */

/** First, last and nickname, and what is displayed: one line without tags and what looks percent-encoded. */
export function storedName(sent: string): string {
  const line = oneLine(keepOpenTags(sent).replace(/<[a-z!/?][^>]*>/gi, ''));
  const decoded = line.replace(/%[\da-f]{2}/gi, '');
  return stored(decoded === line ? line : oneLine(decoded));
}

/** A description keeps its lines and the tags that a comment may have. */
export const storedDescription = (sent: string): string => stored(sent.trim());

/** Ampersands are entities in the database. */
export const storedUrl = (sent: string): string => sent.replace(/&(?!amp;|#038;)/g, '&amp;');

/** How a profile is read for an editor. */
export const editedUrl = (url: string): string => url.replaceAll('&amp;', '&#038;');

const TAGS_OF_COMMENTS = /^<\/?(?:a|abbr|acronym|b|blockquote|cite|code|del|em|i|q|s|strike|strong)\b/i;

/** Tags that may not be are cut, ampersands become entities, and one level of backslashes goes. */
const stored = (text: string): string =>
  unslash(
    keepOpenTags(text)
      .replace(/<[^>]*>/g, (tag) => (TAGS_OF_COMMENTS.test(tag) ? tag : ''))
      .replace(/&(?!(?:#\d{1,7}|[a-z][a-z\d]{1,30});)/gi, '&amp;'),
  );

/** A `<` that nothing closes is text. */
const keepOpenTags = (text: string): string => text.replace(/<(?=[^>]*$)/g, '&lt;');

const oneLine = (text: string): string => text.replace(/[\r\n\t ]+/g, ' ').trim();
