import { repeats } from '../secrets.ts';
import { decodeEntities } from './entities.ts';
import { cleanText } from './values.ts';

const TAGS = /<[^<>]*>/g;
/** Signatures, tokens, keys: a child that echoes what it was sent must not bring it into our answers and logs. */
const LOOKS_SECRET = /[\w+/=%-]{32,}/g;
/** Where WordPress lies on its server is nobody's business; what follows within it says what is broken. */
const WITHIN_WORDPRESS = /(?<![\w:/\\.])(?:[a-z]:)?[\\/](?:[\w.@+~-]+[\\/])*(?=wp-(?:content|includes|admin)[\\/])/gi;
const OTHER_PATH = /(?<![\w:/\\.])(?:[a-z]:)?[\\/](?:[\w.@+~-]+[\\/])+(?=[\w.@+~-])/gi;
const READ_MAX = 4_000;
const SENTENCE_MAX = 300;

/** What a text of HTML says: without tags, entities decoded, also those that were hidden in entities. */
export const withoutMarkup = (html: string): string =>
  decodeEntities(html.slice(0, READ_MAX).replace(TAGS, ' ')).replace(TAGS, ' ');

/**
 * A sentence of a child as plain text in one line, without paths and what looks like a secret; at most 300 characters.
 */
export function sentenceIn(html: string): string {
  const oneLine = cleanText(withoutMarkup(html), 2_000).replace(/ {2,}/g, ' ');
  const withoutPaths = oneLine.replace(WITHIN_WORDPRESS, '').replace(OTHER_PATH, '');
  return cleanText(withoutPaths.replace(LOOKS_SECRET, '[...]'), SENTENCE_MAX);
}

/** The same, for passing on; null when there is none, or when it gives a secret back. */
export function safeSentence(html: unknown, secrets: readonly string[]): string | null {
  if (typeof html !== 'string' || repeats(html.slice(0, READ_MAX), secrets)) return null;
  return sentenceIn(html) || null;
}
