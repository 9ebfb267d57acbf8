/** Values that a JSON body may hold, and levels that they may be nested. */
export const VALUE_LIMIT = 30_000;
export const DEPTH_LIMIT = 64;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [BRACKET, BRACE] = [0x5b, 0x7b];
const [END_BRACKET, END_BRACE] = [0x5d, 0x7d];

/**
 * Why a JSON text is not read, or null. It looks at bytes and makes nothing of them: to read and judge 8 MiB of tiny
 * values takes seconds, to count them some milliseconds. What is no JSON is for the parser to say.
 */
export function exceededLimit(text: Uint8Array): 'values' | 'depth' | null {
  let values = 1;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const byte = text[at] as number;
    if (byte === QUOTE) at = endOfText(text, at);
    else if (byte === COMMA) values++;
    else if (byte === BRACKET || byte === BRACE) {
      values++;
      if (++depth > DEPTH_LIMIT) return 'depth';
    } else if (byte === END_BRACKET || byte === END_BRACE) depth--;
    if (values > VALUE_LIMIT) return 'values';
  }
  return null;
}

/** Where the text that begins here ends. */
function endOfText(text: Uint8Array, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== QUOTE) at += text[at] === BACKSLASH ? 2 : 1;
  return at;
}
