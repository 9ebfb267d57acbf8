import { stripSlashes } from '../protocol/form.ts';

/**
 * This file simulates filters that WordPress applies to the texts of a user, regardless of how they are submitted
 * (protocol 4.6).
 */

export function storedName(sent: string): string {
  const line = oneLine(keepOpenTags(sent).replace(/<[a-z!/?][^>]*>/gi, ''));
  const decoded = line.replace(/%[\da-f]{2}/gi, '');
  return filterUserText(decoded === line ? line : oneLine(decoded));
}

export const storedDescription = (sent: string): string => filterUserText(sent.trim());

export const storedUrl = (sent: string): string => sent.replace(/&(?!amp;|#038;)/g, '&amp;');

export const editedUrl = (url: string): string => url.replaceAll('&amp;', '&#038;');

const TAGS_OF_COMMENTS = /^<\/?(?:a|abbr|acronym|b|blockquote|cite|code|del|em|i|q|s|strike|strong)\b/i;

const filterUserText = (text: string): string =>
  stripSlashes(
    keepOpenTags(text)
      .replace(/<[^>]*>/g, (tag) => (TAGS_OF_COMMENTS.test(tag) ? tag : ''))
      .replace(/&(?!(?:#\d{1,7}|[a-z][a-z\d]{1,30});)/gi, '&amp;'),
  );

const keepOpenTags = (text: string): string => text.replace(/<(?=[^>]*$)/g, '&lt;');

const oneLine = (text: string): string => text.replace(/[\r\n\t ]+/g, ' ').trim();
