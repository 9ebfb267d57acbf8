import { containsSecret } from '../secrets.ts';
import { decodeEntities } from './entities.ts';
import { cleanText } from './values.ts';

const TAGS = /<[^<>]*>/g;
/** Signatures, tokens and keys. A child may repeat its request, and our responses and logs must not. */
const LOOKS_SECRET = /[\w+/=%-]{32,}/g;
/** Private path to WordPress on its server. The path within WordPress is kept, because it shows the broken part. */
const WITHIN_WORDPRESS = /(?<![\w:/\\.])(?:[a-z]:)?[\\/](?:[\w.@+~-]+[\\/])*(?=wp-(?:content|includes|admin)[\\/])/gi;
const OTHER_PATH = /(?<![\w:/\\.])(?:[a-z]:)?[\\/](?:[\w.@+~-]+[\\/])+(?=[\w.@+~-])/gi;
const READ_MAX = 4_000;
const SENTENCE_MAX = 300;

/** Converts HTML to text: removes tags and decodes entities, including tags that are encoded as entities. */
export const withoutMarkup = (html: string): string =>
  decodeEntities(html.slice(0, READ_MAX).replace(TAGS, ' ')).replace(TAGS, ' ');

/**
 * Converts a message of a child to one line of plain text, without paths and texts that look like secrets. Maximum
 * length: 300 characters.
 */
export function sanitizeMessage(html: string): string {
  const oneLine = cleanText(withoutMarkup(html), 2_000).replace(/ {2,}/g, ' ');
  const withoutPaths = oneLine.replace(WITHIN_WORDPRESS, '').replace(OTHER_PATH, '');
  return cleanText(withoutPaths.replace(LOOKS_SECRET, '[...]'), SENTENCE_MAX);
}

/** Converts a message like `sanitizeMessage`. Returns null if there is no text, or if it repeats one of the secrets. */
export function safeMessageOrNull(html: unknown, secrets: readonly string[]): string | null {
  if (typeof html !== 'string' || containsSecret(html.slice(0, READ_MAX), secrets)) return null;
  return sanitizeMessage(html) || null;
}
