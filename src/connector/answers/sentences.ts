import { repeats } from '../secrets.ts';
import { cleanText, decodeEntities } from './values.ts';

const TAGS = /<[^>]*>/g;
/** Signatures, tokens, keys: a child that echoes what it was sent must not bring it into our answers and logs. */
const LOOKS_SECRET = /[\w+/=%-]{32,}/g;
const READ_MAX = 4_000;
const SENTENCE_MAX = 300;

/** What a text of HTML says: without tags, entities decoded, also those that were hidden in entities. */
export const withoutMarkup = (html: string): string =>
  decodeEntities(html.slice(0, READ_MAX).replace(TAGS, ' ')).replace(TAGS, ' ');

/** A sentence of a child as plain text in one line, without what looks like a secret; never longer than 300 characters. */
export const sentenceIn = (html: string): string =>
  cleanText(cleanText(withoutMarkup(html), 2_000).replace(/ {2,}/g, ' ').replace(LOOKS_SECRET, '[...]'), SENTENCE_MAX);

/** The same, for passing on; null when there is none, or when it gives a secret back. */
export function safeSentence(html: unknown, secrets: readonly string[]): string | null {
  if (typeof html !== 'string' || repeats(html.slice(0, READ_MAX), secrets)) return null;
  return sentenceIn(html) || null;
}
