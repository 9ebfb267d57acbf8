import type { ChildPlugin } from '../../connector/child-site.ts';

/**
 * What a site is asked for of which nobody knows yet. It answers nothing where this plugin is not active, and most
 * sites that make backups make them by it, so that few have to be asked a second time.
 */
export const LIKELIEST_METHOD = 'updraftplus';

/**
 * Plugins whose last backup a child can tell, and what it calls them (protocol 4.1); the first that is active counts.
 */
const METHODS: readonly (readonly [file: string, method: string])[] = [
  ['updraftplus/updraftplus.php', LIKELIEST_METHOD],
  ['backwpup/backwpup.php', 'backwpup'],
  ['backwpup-pro/backwpup.php', 'backwpup'],
  ['backupbuddy/backupbuddy.php', 'backupbuddy'],
  ['Backupbuddy/backupbuddy.php', 'backupbuddy'],
  ['wp-time-capsule/wp-time-capsule.php', 'wptimecapsule'],
  ['backupwordpress/backupwordpress.php', 'backupwordpress'],
];

/** By what a site makes its backups; null where the child could not tell of them. */
export function backupMethodOf(plugins: readonly ChildPlugin[]): string | null {
  const active = new Set(plugins.flatMap(({ slug, active }) => (active ? [slug] : [])));
  return METHODS.find(([file]) => active.has(file))?.[1] ?? null;
}
