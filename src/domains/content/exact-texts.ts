import type { Content } from '../../connector/child-site.ts';
import type { ContentPatch, NewContent } from './content.ts';

/**
 * Characters that the child plugin's filter for titles and excerpts may change when it writes a whole post (protocol
 * 4.4).
 */
// oxlint-disable-next-line no-control-regex
const FILTERED = /[<>&\\\u0000-\u0008\u000b\u000c\u000e-\u001f]/;

/** True if a new post needs an edit after its creation. Edits are not filtered. */
export const needsExactEdit = ({ title, excerpt = '' }: NewContent): boolean =>
  FILTERED.test(title) || FILTERED.test(excerpt);

/** Escapes HTML characters. Readers see the same text, and the filter does not change it. */
export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const TEXTS = ['title', 'content', 'excerpt', 'password'] as const;

/** Returns a message for each text that the site or one of its plugins stored differently. */
export function alteredTextWarnings(wanted: ContentPatch, stored: Content, before?: Content): string[] {
  const texts = TEXTS.filter((name) => {
    // The site adds its own identifiers to a gallery.
    if (name === 'content' && wanted.gallery) return false;
    const value = wanted[name] ?? before?.[name];
    return value !== undefined && value !== stored[name];
  });
  const fields = [...(wanted.customFields ?? [])].filter(([key, value]) => {
    const kept = stored.customFields.get(key)?.at(-1);
    return typeof kept !== 'object' && kept !== value;
  });
  return [
    ...texts.map((name) => `The site stored another ${name} than it was to be.`),
    ...fields.map(([key]) => `The site stored another value of the custom field ${key} than was sent.`),
  ];
}
