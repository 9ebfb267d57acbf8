import { operationWords, type SettingsGroup } from './short/settings.ts';
import type { Source } from './short/index.ts';
import type { Schema } from '../../src/contract/index.ts';

/** The shape of a value, as the registry of the settings takes it. */
function shapeOf(schema: Schema): object {
  const { type, minimum, maximum, enum: values, maxLength, pattern, items, maxItems, properties } = schema;
  if (Array.isArray(values)) return String(values) === '0,1' ? { kind: 'flag' } : { kind: 'choice', values };
  switch (type) {
    case 'integer':
      return { kind: 'integer', minimum, maximum };
    case 'string':
      return { kind: 'text', maxLength, ...(pattern === undefined ? {} : { pattern }) };
    case 'array':
      return { kind: 'list', maxItems, of: shapeOf(items ?? {}) };
    case 'object':
      return { kind: 'object', fields: mapValues(properties ?? {}, shapeOf) };
    default:
      throw new Error(`A setting cannot be of the type ${String(type)}.`);
  }
}

/** `generated/settings.ts`: shape, default and effect of every setting, by group. */
export function settingsOf(sources: ReadonlyMap<string, Source>): string {
  const groups = [...sources].flatMap(([name, source]) => {
    const { group } = source as { group?: SettingsGroup };
    const [, slug = ''] = /^v2\/settings\/(.+)\.yaml$/.exec(name) ?? [];
    return group ? [[slug, factsOf(slug, group)] as const] : [];
  });
  const text = JSON.stringify(Object.fromEntries(groups.sort(([one], [other]) => (one < other ? -1 : 1))), null, 2);
  return `export const SETTINGS = ${text} as const;\n`;
}

function factsOf(slug: string, { title, properties }: SettingsGroup): object {
  const fields = mapValues(
    properties,
    ({ default: preset, 'x-effect': effect, writeOnly: secret = false, ...schema }) => ({
      ...shapeOf(schema),
      default: preset,
      effect,
      secret,
    }),
  );
  return { id: operationWords(slug), title, fields };
}

const mapValues = <T, U>(all: Record<string, T>, change: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(all).map(([name, value]) => [name, change(value)]));
