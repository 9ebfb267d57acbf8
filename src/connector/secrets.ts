import { decodeEntities } from './answers/entities.ts';
import type { ChildTarget } from './child-site.ts';
import { encodePassword, slashedPassword } from './payload.ts';

/** What the site's record holds, or the site is told in this call, and no answer or log of ours may repeat. */
export function secretsOf(
  target: ChildTarget & { privateKeyPem?: string },
  ...ofCall: (string | null | undefined)[]
): string[] {
  const { httpAuth, secrets, privateKeyPem } = target;
  const known = [
    ...(httpAuth
      ? [httpAuth.user, httpAuth.pass, Buffer.from(`${httpAuth.user}:${httpAuth.pass}`).toString('base64')]
      : []),
    ...(secrets ?? []),
    // Any full line is a part of the key; the last may be too short to tell it from a word.
    ...(privateKeyPem?.split('\n').filter((line) => line.length >= 32 && !line.startsWith('-----')) ?? []),
    ...ofCall,
  ];
  return known.filter((secret): secret is string => typeof secret === 'string' && squeezed(secret) !== '');
}

/**
 * Whether a text of a child gives one of the secrets back, also when it was encoded on the way there or escaped on the
 * way back. Short ones are found in many an innocent text: that is lost, and nobody learns whether it was there.
 */
export function repeats(text: string, secrets: readonly string[]): boolean {
  const texts = [text, decodeEntities(text), decodeEntities(text.replace(TAGS, ' ')).replace(TAGS, ' ')].map(squeezed);
  return secrets.flatMap(formsOf).some((form) => texts.some((each) => each.includes(form)));
}

/** Up to the next bracket of either kind: a text of nothing but opening ones must not cost its square. */
const TAGS = /<[^<>]*>/g;

function formsOf(secret: string): string[] {
  const encoded = encodePassword(secret);
  const base64 = Buffer.from(secret).toString('base64');
  const withoutTags = secret.replace(TAGS, ' ');
  const forms = [secret, encoded, encodePassword(encoded), slashedPassword(secret) ?? secret, base64, withoutTags];
  return [...new Set(forms.map(squeezed))].filter((form) => form !== '');
}

/** Without what cleaning, slashes and forms take out or put in. */
const squeezed = (text: string): string => text.replace(/[\s\\+\p{Cc}\p{Cf}]|%20/gu, '').toLowerCase();
