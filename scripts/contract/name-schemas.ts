import { handlerIdOf, nameIn, operationsOf, schemasOf, type Media, type Schema } from '../../src/contract/index.ts';
import type { Document } from './document.ts';

/**
 * Gives every schema that a client generator makes a class of a name of its own: what has no name in the sources is
 * called after where it stands. Without one, generators number it (`inline_object_7`), and the next operation renumbers
 * them all.
 */
export function nameSchemas(document: Document): Document {
  const schemas = schemasOf(document);
  const name = (schema: Schema, wanted: string): Schema => {
    const { default: preset, ...named } = schema;
    const known = schemas[wanted];
    if (known && JSON.stringify(known) !== JSON.stringify(named))
      throw new Error(`Two schemas would be called ${wanted}; give one of them a name in the sources.`);
    if (!known) {
      schemas[wanted] = named;
      inside(named, wanted);
    }
    // The validator applies a default beside the $ref alone.
    return { $ref: `#/components/schemas/${wanted}`, ...(preset === undefined ? {} : { default: preset }) };
  };
  const settle = (schema: Schema, wanted: string): Schema => {
    if (needsName(schema)) return name(schema, wanted);
    inside(schema, wanted);
    return schema;
  };
  const inside = (schema: Schema, parent: string): void => {
    const { properties, items, additionalProperties } = schema;
    for (const [key, inner] of Object.entries(properties ?? {})) properties![key] = settle(inner, parent + pascal(key));
    if (items) schema.items = settle(items, `${parent}Item`);
    if (typeof additionalProperties === 'object')
      schema.additionalProperties = settle(additionalProperties, `${parent}Value`);
    for (const key of ['anyOf', 'oneOf'] as const) {
      const variants = schema[key];
      if (variants) schema[key] = variants.map((each, index) => settle(each, variantName(parent, variants, index)));
    }
  };

  for (const [own, schema] of Object.entries(schemas)) inside(schema, own);
  for (const { operation } of operationsOf(document)) {
    const id = pascal(handlerIdOf(operation.operationId));
    for (const media of mediaOf(operation.requestBody)) media.schema = settle(media.schema, bodyName(media.schema, id));
    for (const answer of Object.values(operation.responses))
      for (const media of mediaOf(answer)) media.schema = settle(media.schema, `${id}Answer`);
  }
  return document;
}

const mediaOf = (body: { content?: Record<string, Media> } | undefined): Media[] => Object.values(body?.content ?? {});

/** An ability's body holds its input alone and is called after it. */
function bodyName({ properties }: Schema, id: string): string {
  const input = nameIn(properties?.['input'] ?? {});
  return `${input?.replace(/Input$/, '') ?? id}Body`;
}

/** Something or null stays where it is; the something is called as the whole would be. */
export const variantName = (parent: string, variants: Schema[], index: number): string =>
  several(variants.map(({ type }) => type)) ? `${parent}${index + 1}` : parent;

/** Objects with fields of their own, and values of several kinds. */
const needsName = ({ $ref, properties, type, anyOf, oneOf }: Schema): boolean =>
  $ref === undefined &&
  (properties !== undefined || several((anyOf ?? oneOf)?.map((each) => each.type)) || several(type));

const several = (types: unknown): boolean => Array.isArray(types) && types.filter((type) => type !== 'null').length > 1;

export const pascal = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
