const COLOR = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/;

/** The one spelling in which a color is kept, `#rrggbb`, of `#RGB` or `#RRGGBB`; null for a text that is neither. */
export function colorOf(text: string): string | null {
  const lower = text.trim().toLowerCase();
  if (!COLOR.test(lower)) return null;
  return lower.length === 7 ? lower : lower.replace(/[0-9a-f]/g, '$&$&');
}
