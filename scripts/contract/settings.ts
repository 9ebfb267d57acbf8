import { operationWords, presetOf, type SettingsField, type SettingsGroup } from './short/settings.ts';
import type { Source } from './short/index.ts';
import type { Schema } from '../../src/contract/index.ts';

/** The groups of settings in the sources, by slug. */
export function groupsOf(sources: ReadonlyMap<string, Source>): [slug: string, group: SettingsGroup][] {
  const groups = [...sources].flatMap(([name, source]): [string, SettingsGroup][] => {
    const { group } = source as { group?: SettingsGroup };
    const [, slug = ''] = /^v2\/settings\/(.+)\.yaml$/.exec(name) ?? [];
    return group ? [[slug, group]] : [];
  });
  return groups.sort(([one], [other]) => (one < other ? -1 : 1));
}

/** The shape of a value, as the registry of the settings takes it. */
function shapeOf(schema: Schema): object {
  const { type, minimum, maximum, enum: values, maxLength, pattern, items, maxItems, properties } = schema;
  if (Array.isArray(values)) return String(values) === '0,1' ? { kind: 'flag' } : { kind: 'choice', values };
  switch (type) {
    case 'integer':
    case 'number':
      return { kind: type, minimum, maximum };
    case 'string':
      return { kind: 'text', maxLength, ...(pattern === undefined ? {} : { pattern }) };
    case 'array':
      return { kind: 'list', maxItems, of: shapeOf(items ?? {}) };
    case 'object':
      return { kind: 'object', fields: mapValues(properties as Record<string, SettingsField>, presetShapeOf) };
    default:
      throw new Error(`A setting cannot be of the type ${String(type)}.`);
  }
}

const presetShapeOf = (field: SettingsField): object => ({ ...shapeOf(field), default: presetOf(field) });

/** `generated/settings.ts`: shape, default and effect of every setting, by group. */
export function settingsOf(sources: ReadonlyMap<string, Source>): string {
  const groups = groupsOf(sources).map(([slug, group]) => [slug, factsOf(slug, group)]);
  return `export const SETTINGS = ${JSON.stringify(Object.fromEntries(groups), null, 2)} as const;\n`;
}

function factsOf(slug: string, group: SettingsGroup): object {
  const { title, description, module, properties, edited_at: editedAt } = group;
  const fields = mapValues(properties, (field) => ({
    ...presetShapeOf(field),
    effect: field['x-effect'],
    secret: field.writeOnly === true,
  }));
  const byHand = editedAt !== undefined;
  const edit = editedAt ?? `/settings/${slug}/edit`;
  return { id: operationWords(slug), title, description, module: module ?? null, byHand, edit, fields };
}

const mapValues = <T, U>(all: Record<string, T>, change: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(all).map(([name, value]) => [name, change(value)]));
