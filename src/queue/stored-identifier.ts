/** Length of the column in characters. Longer identifiers are cut, but no site URL is this long. */
const STORED = 2100;

/**
 * Returns an identifier as stored in its column: an ID as digits, a text unchanged. A text that would be read back as
 * an ID or as JSON is stored as a JSON string.
 */
export const toStoredIdentifier = (identifier: string | number): string =>
  (typeof identifier === 'string' && /^(\d+$|")/.test(identifier)
    ? JSON.stringify(identifier)
    : String(identifier)
  ).slice(0, STORED);

export function fromStoredIdentifier(text: string): string | number {
  if (/^\d+$/.test(text)) return Number(text);
  if (!text.startsWith('"')) return text;
  try {
    return JSON.parse(text) as string;
  } catch {
    return text;
  }
}
