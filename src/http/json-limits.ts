export const VALUE_LIMIT = 30_000;
export const DEPTH_LIMIT = 64;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [BRACKET, BRACE] = [0x5b, 0x7b];
const [END_BRACKET, END_BRACE] = [0x5d, 0x7d];

/**
 * Returns the limit that a JSON text exceeds, or null. Counts bytes without parsing: parsing and validating 8 MiB of
 * tiny values takes seconds, and counting takes milliseconds. Invalid JSON is left to the parser.
 */
export function exceededJsonLimit(text: Uint8Array): 'values' | 'depth' | null {
  let values = 1;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const byte = text[at] as number;
    if (byte === QUOTE) at = closingQuoteAfter(text, at);
    else if (byte === COMMA) values++;
    else if (byte === BRACKET || byte === BRACE) {
      values++;
      if (++depth > DEPTH_LIMIT) return 'depth';
    } else if (byte === END_BRACKET || byte === END_BRACE) depth--;
    if (values > VALUE_LIMIT) return 'values';
  }
  return null;
}

function closingQuoteAfter(text: Uint8Array, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== QUOTE) at += text[at] === BACKSLASH ? 2 : 1;
  return at;
}
