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

/** True if both texts are URLs, with the same scheme, host and port. */
export function haveSameOrigin(left: string, right: string): boolean {
  const [one, other] = [parseUrl(left), parseUrl(right)];
  return one !== null && other !== null && one.origin === other.origin;
}
