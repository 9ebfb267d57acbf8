/**
 * Encodes JSON as PHP does: `/` is written `\/`, and non-ASCII characters as `\uXXXX`. The escapes matter to clients
 * that do not decode the bytes as UTF-8. The child sends the text as `<mainwp>` + base64(JSON) + `</mainwp>` (protocol
 * 1.5).
 */
export function phpJson(value: unknown): string {
  return JSON.stringify(value).replace(/[/\u0080-\uffff]/g, (character) =>
    character === '/' ? '\\/' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export function frame(json: string): string {
  return `<mainwp>${Buffer.from(json, 'utf8').toString('base64')}</mainwp>`;
}

/** Returns a PHP array that is used as a map. PHP encodes an empty one as `[]` (protocol 0.6). */
export function phpMap<T>(entries: Iterable<readonly [string, T]>): Record<string, T> | [] {
  const map = Object.fromEntries(entries) as Record<string, T>;
  return Object.keys(map).length === 0 ? [] : map;
}
