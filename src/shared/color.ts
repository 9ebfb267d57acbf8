const COLOR = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/;

/** Converts `#RGB` or `#RRGGBB` to the stored form, lower-case `#rrggbb`. Returns null if the text is no such color. */
export function normalizeColor(text: string): string | null {
  const lower = text.trim().toLowerCase();
  if (!COLOR.test(lower)) return null;
  return lower.length === 7 ? lower : lower.replace(/[0-9a-f]/g, '$&$&');
}
