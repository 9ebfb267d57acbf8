/** A value of a form field; lists and maps nest. */
export type Field =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly Field[]
  | { readonly [name: string]: Field };
export type Fields = Record<string, Field>;

/**
 * PHP's `http_build_query` in its default form (protocol 1.2): a blank is `+`, only `A-Z a-z 0-9 - _ .` stay, true is
 * 1, false is 0, null and empty lists vanish, nested keys are `a[b]`.
 */
export function encodeForm(fields: Fields): string {
  const pairs: string[] = [];
  for (const [name, value] of Object.entries(fields)) append(pairs, name, value);
  return pairs.join('&');
}

function append(pairs: string[], name: string, value: Field): void {
  if (value === null || value === undefined) return;
  if (typeof value === 'object') {
    for (const [key, item] of Object.entries(value)) append(pairs, `${name}[${key}]`, item);
    return;
  }
  const text = typeof value === 'boolean' ? (value ? '1' : '0') : String(value);
  pairs.push(`${encodeText(name)}=${encodeText(text)}`);
}

const REST = /[!~*'()]/g;

function encodeText(text: string): string {
  return encodeURIComponent(wellFormed(text)).replace(REST, hex).replaceAll('%20', '+');
}

const hex = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;

/** Half a surrogate pair cannot be encoded; PHP would never send one. */
export const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd');

/** PHP reads no JSON that holds half a surrogate pair. */
export const base64Json = (value: unknown): string =>
  base64(JSON.stringify(value, (_, each: unknown) => (typeof each === 'string' ? wellFormed(each) : each)));

export const base64 = (text: string): string => Buffer.from(wellFormed(text), 'utf8').toString('base64');

/**
 * The password as the value of `userpwd`: percent-encoded by RFC 3986 before the form encodes it once more (protocol
 * 2.3). `encodeURIComponent` alone leaves `! ' ( ) *`.
 */
export function encodePassword(password: string): string {
  return encodeURIComponent(wellFormed(password)).replace(/[!*'()]/g, hex);
}

/**
 * The other form of a password that holds quotes or backslashes: WordPress' own forms hash it with its slashes
 * (protocol 2.3). Null when there is no other form.
 */
export function slashedPassword(password: string): string | null {
  return /['"\\]/.test(password) ? password.replace(/['"\\]/g, '\\$&') : null;
}
