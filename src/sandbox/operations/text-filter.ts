/**
 * This file simulates the child's filter for HTML in titles and excerpts that are sent with `newpost` (protocol 4.4).
 * It has its own list of allowed tags.
 */

const STYLED = ['id', 'style', 'class'];
const PRESSABLE = ['type', 'name', 'value', 'class', 'onclick'];

/** Allowed tags and their attributes. WordPress also filters the CSS in `style`, which is not simulated. */
const PASSING = new Map<string, readonly string[]>([
  ['a', ['href', 'title', 'class', 'onclick']],
  ['img', ['src', 'title', 'class', 'onclick', 'alt', 'width', 'height', 'sizes', 'srcset', 'usemap']],
  ...['br', 'em', 'strong', 'p', 'hr', 'ol', 'li', 'h1', 'h2', 'head', 'title'].map((tag) => [tag, []] as const),
  ['ul', ['style']],
  ['body', ['style']],
  ['html', ['lang']],
  ['meta', ['name', 'http-equiv', 'content', 'charset']],
  ['span', STYLED],
  ['div', STYLED],
  ['form', ['id', 'method', 'action', 'onsubmit']],
  ...['table', 'thead', 'tbody', 'td'].map((tag) => [tag, ['class']] as const),
  ['tr', ['id']],
  ['input', PRESSABLE],
  ['button', [...PRESSABLE, 'title']],
]);

export function filterText(text: string): string {
  // oxlint-disable-next-line no-control-regex
  const cleaned = text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '').replace(/\\+0+/g, '');
  return escapeOpenTags(escapeAmpersands(cleaned)).replace(
    /<!--.*?(?:-->|$)|<\/[^a-zA-Z][^>]*>|<[^>]*(?:>|$)|>/gs,
    filterTag,
  );
}

const escapeAmpersands = (text: string): string =>
  text.replace(/&(?!(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[a-zA-Z][a-zA-Z\d]{1,30});)/g, '&amp;');

const escapeOpenTags = (text: string): string =>
  text.replace(/<[^>]*?(?:(?=<)|>|$)/g, (tag) => (tag.endsWith('>') ? tag : tag.replace('<', '&lt;')));

function filterTag(tag: string): string {
  if (tag === '>') return '&gt;';
  if (tag.startsWith('<!--')) return tag;
  const [, slash = '', name = '', rest = ''] =
    /^<\s*(\/\s*)?([a-zA-Z\d-]+)([^>]*)>?$/.exec(tag.replaceAll('\\"', '"')) ?? [];
  const allowed = PASSING.get(name.toLowerCase());
  if (!allowed) return '';
  if (slash !== '') return `</${name}>`;
  const attributes = [...rest.matchAll(/([-\w:]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"']+))?/g)].flatMap(
    ([, key = '', value]) =>
      allowed.includes(key.toLowerCase())
        ? [value === undefined ? ` ${key}` : ` ${key}=${quoteAttributeValue(value)}`]
        : [],
  );
  return `<${name}${attributes.join('')}${/\/\s*$/.test(rest) ? ' /' : ''}>`;
}

const quoteAttributeValue = (value: string): string => (/^["']/.test(value) ? value : `"${value.replace(/\/$/, '')}"`);
