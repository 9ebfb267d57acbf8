import { changed, type Node, type Source, type Sources } from './source.ts';

/** What a field takes of the setting that it is like, in the order in which it is written. */
const SHAPE = ['type', 'enum', 'minimum', 'maximum', 'maxLength', 'pattern', 'maxItems', 'items'];

/**
 * `x-like: monitoring.svc_uptime_monitoring_type` at a schema: it has the range and the words of this setting, written
 * where the key stands. What stands beside it is other here, and words of an `enum` beside it come behind those of the
 * setting. `x-fields-of: emails` stands for the names of the settings of a group, as words.
 */
export const withLikeness = (source: Source, sources: Sources): Source =>
  changed(source, (node) => {
    const { 'x-like': setting, 'x-fields-of': group } = node;
    if (typeof setting === 'string') return alike(node, settingAt(sources, setting));
    if (typeof group === 'string')
      return replaced(node, 'x-fields-of', { enum: Object.keys(fieldsOf(sources, group)) });
    return node;
  }) as Source;

function alike(node: Node, setting: Node): Node {
  const { enum: more = [], ...beside } = node as { enum?: unknown[] } & Node;
  const words = [...((setting['enum'] as unknown[] | undefined) ?? []), ...more];
  const whole: Node = { ...setting, ...(words.length > 0 ? { enum: words } : {}) };
  const keys = SHAPE.filter((key) => key in whole && !(key in beside));
  return replaced(beside, 'x-like', Object.fromEntries(keys.map((key) => [key, whole[key]])));
}

/** A node with others in the place of one of its keys. */
const replaced = (node: Node, key: string, by: Node): Node =>
  Object.fromEntries(Object.entries(node).flatMap((entry) => (entry[0] === key ? Object.entries(by) : [entry])));

/** A setting by its group and name, or one within it: `emails.uptime.heading`. */
function settingAt(sources: Sources, path: string): Node {
  const [group = '', ...names] = path.split('.');
  const setting = names.reduce<Node | undefined>(
    (fields, name) => (fields?.['properties'] as Record<string, Node> | undefined)?.[name],
    { properties: fieldsOf(sources, group) },
  );
  if (!setting) throw new Error(`There is no setting ${path}.`);
  return setting;
}

function fieldsOf(sources: Sources, group: string): Record<string, Node> {
  const fields = sources.get(`v2/settings/${group}.yaml`)?.['group']?.['properties'];
  if (!fields) throw new Error(`There is no group of settings ${group}.`);
  return fields as Record<string, Node>;
}
