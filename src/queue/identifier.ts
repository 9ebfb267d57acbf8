/** As much of a name as the column holds; no site has an address as long. */
const STORED = 2100;

/** A name as its column holds it: an ID as digits, and a text as it is unless it would be taken for something else. */
export const toStored = (identifier: string | number): string =>
  (typeof identifier === 'string' && /^(\d+$|")/.test(identifier)
    ? JSON.stringify(identifier)
    : String(identifier)
  ).slice(0, STORED);

export function fromStored(text: string): string | number {
  if (/^\d+$/.test(text)) return Number(text);
  if (!text.startsWith('"')) return text;
  try {
    return JSON.parse(text) as string;
  } catch {
    return text;
  }
}
