import {
  deref,
  isAlternativeVerb,
  operationsOf,
  parametersOf,
  type LocatedOperation,
  type Schema,
} from '../../src/contract/index.ts';
import { SURFACES, type Surface } from '../../src/contract/surfaces.ts';
import type { Document } from './document.ts';

/**
 * `generated/field-types.ts`: the types of the fields of each operation that can be a text or a list, such as
 * `null|string` or `array<integer|string>`. The command line needs them to read values that look like JSON. Other
 * fields are left out, because their values are JSON.
 */
export function fieldTypesFile(documents: Record<Surface, Document>): string {
  const types = SURFACES.flatMap((surface) =>
    operationsOf(documents[surface])
      .filter(({ operation }) => !isAlternativeVerb(operation))
      .map((place) => [place.operation.operationId, fieldTypesOf(documents[surface], place)] as const),
  );
  const withFields = types.filter(([, fields]) => Object.keys(fields).length > 0);
  return (
    '/** Types of the fields that can be a text or a list, by operation. */\n' +
    'export const FIELD_TYPES: Readonly<Record<string, Readonly<Record<string, string>>>> = ' +
    `${JSON.stringify(Object.fromEntries(withFields), null, 1)};\n`
  );
}

function fieldTypesOf(document: Document, place: LocatedOperation): Record<string, string> {
  const { operation, item } = place;
  const [body] = Object.values(operation.requestBody?.content ?? {});
  const query = parametersOf(document, place).filter((each) => each.in === 'query');
  const queryFields = query.map(({ name, schema = {} }): [string, Schema] => [name, schema]);
  const bodyFields = Object.entries(propertiesOf(document, body?.schema ?? {}));
  const fields = [...queryFields, ...bodyFields].flatMap(([name, schema]) =>
    item['x-ability'] && name === 'input' ? Object.entries(propertiesOf(document, schema)) : [[name, schema] as const],
  );
  const types: Record<string, string> = {};
  for (const [name, schema] of fields) {
    const type = typeOf(document, schema);
    if (!/\bstring\b|\barray\b/.test(type)) continue;
    if (types[name] !== undefined && types[name] !== type)
      throw new Error(`${operation.operationId} has two fields ${name}, of the types ${types[name]} and ${type}.`);
    types[name] = type;
  }
  return types;
}

/** Returns the fields of an object, also those that are added by `allOf` or differ by variant. */
function propertiesOf(document: Document, schema: Schema): Record<string, Schema> {
  const { properties = {}, ...rest } = deref(document, schema);
  const parts = VARIANTS.flatMap((word) => rest[word] ?? []);
  return Object.assign({}, ...parts.map((part) => propertiesOf(document, part)), properties) as Record<string, Schema>;
}

/** Returns the sorted types, separated by `|`. */
function typeOf(document: Document, schema: Schema): string {
  const resolved = deref(document, schema);
  const names = [resolved.type ?? []].flat();
  const own = names.map((name) => (name === 'array' ? `array<${typeOf(document, resolved.items ?? {})}>` : name));
  const parts = VARIANTS.flatMap((word) => resolved[word] ?? []);
  const all = new Set([...own, ...parts.flatMap((part) => typeOf(document, part).split('|'))]);
  return [...all].filter(Boolean).sort().join('|');
}

const VARIANTS = ['allOf', 'anyOf', 'oneOf'] as const;
