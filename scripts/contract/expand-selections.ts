import { operationsOf, type Document } from './expand-errors.ts';

interface Schema {
  $ref?: string;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  description?: string;
  anyOf?: Schema[];
  [key: string]: unknown;
}

/**
 * Says in the published document that an operation with `_fields` may show a part of each record. Types are made before this:
 * who asks for no selection gets whole records.
 */
export function expandSelections(document: Document): Document {
  const schemas = document.components['schemas'] as Record<string, Schema>;
  const named = <T extends { $ref?: string }>(node: T): T =>
    node.$ref
      ? ((document.components[node.$ref.split('/')[2] ?? ''] as Record<string, T>)[node.$ref.split('/')[3] ?? ''] as T)
      : node;
  for (const { operation } of operationsOf(document)) {
    const asked = ((operation.parameters ?? []) as { $ref?: string; name?: string }[]).some(
      (each) => named(each).name === '_fields',
    );
    if (!asked) continue;
    const { content } = operation.responses['200'] as { content: { 'application/json': { schema: Schema } } };
    const body = named(content['application/json'].schema);
    const data = body.properties?.['data'];
    if (!data) throw new Error(`${operation.operationId} has _fields and no data.`);
    const place = data.items ? data : (body.properties ?? {});
    const key = data.items ? 'items' : 'data';
    const whole = place[key] as Schema;
    if (whole.anyOf) continue;
    if (!whole.$ref)
      throw new Error(`The record of ${operation.operationId} has no name, so no part of it can have one.`);
    const name = `${whole.$ref.split('/').pop()}Selection`;
    schemas[name] ??= partOf(named(whole), named);
    place[key] = {
      description: 'The record, or the part of it that `_fields` names.',
      anyOf: [whole, { $ref: `#/components/schemas/${name}` }],
    };
  }
  return document;
}

type Named = (node: Schema) => Schema;

/** Nothing of it need be there but what identifies it, and what lies within it may be a part as well. */
function partOf({ required, ...schema }: Schema, named: Named): Schema {
  const identified = required?.includes('id') ? { required: ['id'] } : {};
  return { ...loosened(schema, named), ...identified, description: 'The fields of the record that `_fields` names.' };
}

/** What is referred to stays so, unless it has parts of its own. */
function loosened(schema: Schema, named: Named): Schema {
  const target = named(schema);
  if (schema.$ref && !target.properties && !target.items) return schema;
  const { $ref: _reference, ...beside } = schema;
  const { required: _required, ...rest } = { ...target, ...beside };
  return {
    ...rest,
    ...(rest.properties
      ? {
          properties: Object.fromEntries(
            Object.entries(rest.properties).map(([name, inner]) => [name, loosened(inner, named)]),
          ),
        }
      : {}),
    ...(rest.items ? { items: loosened(rest.items, named) } : {}),
  };
}
