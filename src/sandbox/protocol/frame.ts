/**
 * The child's answer: `<mainwp>` + base64(JSON) + `</mainwp>` (protocol 1.5). The JSON is PHP's: `/` is written `\/`,
 * and all that is not ASCII as `\uXXXX`, which matters to a reader that treats the decoded bytes as anything but UTF-8.
 */
export function phpJson(value: unknown): string {
  return JSON.stringify(value).replace(/[/\u0080-\uffff]/g, (character) =>
    character === '/' ? '\\/' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export function frame(json: string): string {
  return `<mainwp>${Buffer.from(json, 'utf8').toString('base64')}</mainwp>`;
}

/** A PHP array used as a map: the empty one is `[]`, whatever it should have been (protocol 0.6). */
export function phpMap<T>(entries: Iterable<readonly [string, T]>): Record<string, T> | [] {
  const map = Object.fromEntries(entries) as Record<string, T>;
  return Object.keys(map).length === 0 ? [] : map;
}
