import type { Settings } from '../settings/index.ts';

export function displayNamesOf({
  show_staff_names: isShown,
  staff_names: names,
}: Pick<Settings<'pro-reports'>, 'show_staff_names' | 'staff_names'>): ReadonlyMap<string, string> {
  if (isShown !== 1) return new Map();
  return new Map(
    names.map((entry) => {
      const at = entry.indexOf('=');
      return [entry.slice(0, at).trim(), entry.slice(at + 1).trim()];
    }),
  );
}
