/**
 * A URL, or null for a text that is none. Node 20's `URL.canParse` says no to texts with letters such as `ü` once it
 * has become hot, so that it is not to be asked.
 */
export function parseUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}
