const COLOR = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/;

export function normalizeColor(text: string): string | null {
  const lower = text.trim().toLowerCase();
  if (!COLOR.test(lower)) return null;
  return lower.length === 7 ? lower : lower.replace(/[0-9a-f]/g, '$&$&');
}
