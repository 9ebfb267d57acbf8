export type FormFieldValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly FormFieldValue[]
  | { readonly [name: string]: FormFieldValue };
export type FormFields = Record<string, FormFieldValue>;

/**
 * Encodes a form like PHP's `http_build_query` with default settings (protocol 1.2): a space is `+`, only ASCII
 * letters, digits, `-`, `_` and `.` are unchanged, true is 1, false is 0, null and empty lists are omitted, nested keys
 * are `a[b]`.
 */
export function encodeForm(fields: FormFields): string {
  const pairs: string[] = [];
  for (const [name, value] of Object.entries(fields)) appendFormField(pairs, name, value);
  return pairs.join('&');
}

function appendFormField(pairs: string[], name: string, value: FormFieldValue): void {
  if (value === null || value === undefined) return;
  if (typeof value === 'object') {
    for (const [key, item] of Object.entries(value)) appendFormField(pairs, `${name}[${key}]`, item);
    return;
  }
  const text = typeof value === 'boolean' ? (value ? '1' : '0') : String(value);
  pairs.push(`${encodeText(name)}=${encodeText(text)}`);
}

const REST = /[!~*'()]/g;

function encodeText(text: string): string {
  return encodeURIComponent(replaceUnpairedSurrogates(text)).replace(REST, percentEncodeChar).replaceAll('%20', '+');
}

const percentEncodeChar = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;

/**
 * Replaces unpaired surrogates (halves of a UTF-16 character). They cannot be encoded, and PHP neither sends them nor
 * accepts JSON that contains one.
 */
export const replaceUnpairedSurrogates = (text: string): string => text.toWellFormed();

export const encodeBase64Json = (value: unknown): string =>
  base64(
    JSON.stringify(value, (_, each: unknown) => (typeof each === 'string' ? replaceUnpairedSurrogates(each) : each)),
  );

export const base64 = (text: string): string => Buffer.from(replaceUnpairedSurrogates(text), 'utf8').toString('base64');

/**
 * Encodes the password for `userpwd`: percent-encoded by RFC 3986 before the form encodes it once more (protocol 2.3).
 * `encodeURIComponent` alone does not encode `! ' ( ) *`.
 */
export function percentEncodePassword(password: string): string {
  return encodeURIComponent(replaceUnpairedSurrogates(password)).replace(/[!*'()]/g, percentEncodeChar);
}

/**
 * Returns the password with a backslash before each quote and backslash. For a password that a user set in a form of
 * WordPress, WordPress may have hashed this text (protocol 2.3). Returns null if the password has none of these
 * characters.
 */
export function escapePasswordQuotes(password: string): string | null {
  return /['"\\]/.test(password) ? password.replace(/['"\\]/g, '\\$&') : null;
}
