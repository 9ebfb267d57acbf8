import type { Content } from '../../connector/child-site.ts';
import type { ContentPatch, NewContent } from './content.ts';

/**
 * The child plugin's filter for titles and excerpts may change these characters when it writes a whole post (protocol
 * 4.4).
 */
// oxlint-disable-next-line no-control-regex
const FILTERED = /[<>&\\\u0000-\u0008\u000b\u000c\u000e-\u001f]/;

/**
 * True if a second call must set the title and excerpt exactly. Edits are not filtered, so an edit after the creation
 * can store the exact texts.
 */
export const needsEditAfterCreation = ({ title, excerpt = '' }: NewContent): boolean =>
  FILTERED.test(title) || FILTERED.test(excerpt);

/** Escapes HTML. Visitors of the site see the same text, and the filter of the child plugin does not change it. */
export const escapeMarkup = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const TEXTS = ['title', 'content', 'excerpt', 'password'] as const;

export function alteredTextWarnings(wanted: ContentPatch, stored: Content, before?: Content): string[] {
  const texts = TEXTS.filter((name) => {
    // The site adds its own identifiers to a gallery, so the stored text always differs.
    if (name === 'content' && wanted.gallery) return false;
    const value = wanted[name] ?? before?.[name];
    return value !== undefined && value !== stored[name];
  });
  const fields = [...(wanted.customFields ?? [])].filter(([key, value]) => {
    const kept = stored.customFields.get(key)?.at(-1);
    return typeof kept !== 'object' && kept !== value;
  });
  return [
    ...texts.map((name) => `The site did not store the ${name} unchanged.`),
    ...fields.map(([key]) => `The site did not store the value of the custom field ${key} unchanged.`),
  ];
}
