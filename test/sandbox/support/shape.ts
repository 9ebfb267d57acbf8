/**
 * The shape of a response: its keys and their types, without values. In a map with variable keys (plugin files, IDs)
 * only the values are compared. PHP's `[]` is an empty map or list (protocol 0.6).
 */
const MAPS = new Set([
  'plugin_updates',
  'theme_updates',
  'plugins_outdate_info',
  'themes_outdate_info',
  'child_site_actions_data',
  'changes_logs_data',
  'upgrades',
  'upgrades_error',
  'updated_data',
  'upgrade_error_codes',
  'plugin_action_data',
  'plugin_deactivated_data',
  'theme_action_data',
  'theme_deactivate_data',
  'install_results',
]);

/** Fields whose content differs between recordings. */
const OPAQUE = new Set(['extra_info', 'public_display', 'password_policy_options', 'directories']);

/** Keys that only some list items have (protocol 4.1, 4.2). */
const OPTIONAL = /\.(mu|child_theme|child_active|name\?|slug)$/;

/** Fields that are null or a value, depending on the state of the site. */
const NULLABLE = /(wp_updates|last_password_change|user_id)$/;

export function shapeOf(value: unknown, path = '$'): Set<string> {
  const lines = new Set<string>();
  collect(value, path, lines);
  return lines;
}

function collect(value: unknown, path: string, lines: Set<string>): void {
  const key = path.slice(path.lastIndexOf('.') + 1);
  if (OPAQUE.has(key)) return;
  if (Array.isArray(value)) {
    lines.add(`${path}: ${value.length === 0 ? '[]' : 'list'}`);
    for (const item of value as unknown[]) collect(item, `${path}[]`, lines);
  } else if (typeof value === 'object' && value !== null) {
    const isMap = MAPS.has(key);
    lines.add(`${path}: ${isMap ? 'map' : 'object'}`);
    for (const [name, item] of Object.entries(value)) {
      // The fields of a changes log record depend on its type.
      if (name === 'meta_data' && path.includes('changes_logs_data')) continue;
      collect(item, `${path}.${isMap ? '*' : name}`, lines);
    }
  } else {
    lines.add(`${path}: ${value === null ? 'null' : typeof value}`);
  }
}

/** Returns the differences between two shapes, or an empty list. */
export function shapeDifferences(recorded: Set<string>, made: Set<string>): string[] {
  const empty = [...recorded, ...made].filter((line) => line.endsWith(': []')).map((line) => line.slice(0, -4));
  const has = (lines: Set<string>, path: string): boolean => [...lines].some((line) => line.startsWith(`${path}: `));
  const excused = (line: string): boolean => {
    const path = line.slice(0, line.lastIndexOf(': '));
    const type = line.slice(line.lastIndexOf(': ') + 2);
    if (OPTIONAL.test(path)) return true;
    if (NULLABLE.test(path) && has(recorded, path) && has(made, path)) return true;
    return empty.some(
      (place) =>
        (path === place && ['[]', 'list', 'map'].includes(type) && has(recorded, path) && has(made, path)) ||
        path.startsWith(`${place}[`) ||
        path.startsWith(`${place}.`),
    );
  };
  const only = (side: Set<string>, other: Set<string>, mark: string): string[] =>
    [...side].filter((line) => !other.has(line) && !excused(line)).map((line) => `${mark} ${line}`);
  return [...only(recorded, made, 'lacking'), ...only(made, recorded, 'invented')];
}
