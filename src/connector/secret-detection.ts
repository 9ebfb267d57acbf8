import { decodeHtmlEntities } from './answers/html-entities.ts';
import type { ChildTarget } from './child-site.ts';
import { readSecret, type SecretText } from '../shared/secret-text.ts';
import { percentEncodePassword, escapePasswordQuotes } from './form-encoding.ts';

/** Returns the secrets of the site's record and of the call. Our responses and logs must not repeat them. */
export function collectSecrets(
  target: ChildTarget & { privateKeyPem?: SecretText },
  ...ofCall: (string | null | undefined)[]
): string[] {
  const { httpAuth, secrets, privateKeyPem } = target;
  const known = [
    ...(httpAuth
      ? [httpAuth.user, httpAuth.pass, Buffer.from(`${httpAuth.user}:${httpAuth.pass}`).toString('base64')]
      : []),
    ...(secrets ?? []).map(readSecret),
    // Each full line is a recognizable part of the key. The last line may be as short as a word.
    ...linesOfKey(privateKeyPem).filter((line) => line.length >= 32 && !line.startsWith('-----')),
    ...ofCall,
  ];
  return known.filter(
    (secret): secret is string => typeof secret === 'string' && normalizeForComparison(secret) !== '',
  );
}

const linesOfKey = (key?: SecretText): string[] => (key === undefined ? [] : readSecret(key).split('\n'));

/**
 * True if a text of a child repeats one of the secrets, even if it was encoded in the request or escaped in the
 * response. Short secrets also occur in many harmless texts. Such texts are withheld too, so that nobody can find out
 * if they repeat the secret.
 */
export function containsSecret(text: string, secrets: readonly string[]): boolean {
  const texts = [text, decodeHtmlEntities(text), decodeHtmlEntities(text.replace(TAGS, ' ')).replace(TAGS, ' ')].map(
    normalizeForComparison,
  );
  return secrets.flatMap(encodedFormsOf).some((form) => texts.some((each) => each.includes(form)));
}

/** A match ends at the next bracket of either kind, so that a text of opening brackets does not take quadratic time. */
const TAGS = /<[^<>]*>/g;

function encodedFormsOf(secret: string): string[] {
  const encoded = percentEncodePassword(secret);
  const base64 = Buffer.from(secret).toString('base64');
  const withoutTags = secret.replace(TAGS, ' ');
  const forms = [
    secret,
    encoded,
    percentEncodePassword(encoded),
    escapePasswordQuotes(secret) ?? secret,
    base64,
    withoutTags,
  ];
  return [...new Set(forms.map(normalizeForComparison))].filter((form) => form !== '');
}

/** Removes what sanitizing, slashes and form encoding add or remove, so that all forms of a secret are equal. */
const normalizeForComparison = (text: string): string => text.replace(/[\s\\+\p{Cc}\p{Cf}]|%20/gu, '').toLowerCase();
