/**
 * Parses a URL. Returns null if the text is no URL. Does not use `URL.canParse`: in Node 20 it wrongly returns false
 * for texts with letters such as `ü` after the function has been optimized.
 */
export function parseUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}
