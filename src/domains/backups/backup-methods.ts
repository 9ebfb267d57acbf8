import type { ChildPlugin } from '../../connector/child-site.ts';

/**
 * The first sync of a site asks for the last backup of this plugin, because it does not know the plugins of the site
 * yet. The answer is empty if this plugin is not active. Most sites with backups use it, so few need a second request.
 */
export const FIRST_SYNC_BACKUP_METHOD = 'updraftplus';

/**
 * Plugin files and the method names that the child plugin uses for them (protocol 4.1). The first active plugin counts.
 */
const METHODS: readonly (readonly [file: string, method: string])[] = [
  ['updraftplus/updraftplus.php', FIRST_SYNC_BACKUP_METHOD],
  ['backwpup/backwpup.php', 'backwpup'],
  ['backwpup-pro/backwpup.php', 'backwpup'],
  ['backupbuddy/backupbuddy.php', 'backupbuddy'],
  ['Backupbuddy/backupbuddy.php', 'backupbuddy'],
  ['wp-time-capsule/wp-time-capsule.php', 'wptimecapsule'],
  ['backupwordpress/backupwordpress.php', 'backupwordpress'],
];

export function backupMethodOf(plugins: readonly ChildPlugin[]): string | null {
  const active = new Set(plugins.flatMap(({ slug, active }) => (active ? [slug] : [])));
  return METHODS.find(([file]) => active.has(file))?.[1] ?? null;
}
