import { containsSecret } from '../secret-detection.ts';
import { decodeHtmlEntities } from './html-entities.ts';
import { cleanText } from './json-values.ts';

const TAGS = /<[^<>]*>/g;
/**
 * Matches texts that look like signatures, tokens or keys. A child may repeat the request in an error message, and our
 * responses and logs must not contain these.
 */
const LOOKS_SECRET = /[\w+/=%-]{32,}/g;
/**
 * Matches the private path to WordPress on its server. The path within WordPress is kept, because it shows which part
 * is broken.
 */
const WITHIN_WORDPRESS = /(?<![\w:/\\.])(?:[a-z]:)?[\\/](?:[\w.@+~-]+[\\/])*(?=wp-(?:content|includes|admin)[\\/])/gi;
const OTHER_PATH = /(?<![\w:/\\.])(?:[a-z]:)?[\\/](?:[\w.@+~-]+[\\/])+(?=[\w.@+~-])/gi;
const READ_MAX = 4_000;
const SENTENCE_MAX = 300;

export const htmlToText = (html: string): string =>
  decodeHtmlEntities(html.slice(0, READ_MAX).replace(TAGS, ' ')).replace(TAGS, ' ');

export function sanitizeMessage(html: string): string {
  const oneLine = cleanText(htmlToText(html), 2_000).replace(/ {2,}/g, ' ');
  const withoutPaths = oneLine.replace(WITHIN_WORDPRESS, '').replace(OTHER_PATH, '');
  return cleanText(withoutPaths.replace(LOOKS_SECRET, '[...]'), SENTENCE_MAX);
}

export function safeMessageOrNull(html: unknown, secrets: readonly string[]): string | null {
  if (typeof html !== 'string' || containsSecret(html.slice(0, READ_MAX), secrets)) return null;
  return sanitizeMessage(html) || null;
}
