import { deref, type Schema } from '../../contract/index.ts';

export interface SchemaShape {
  nullable: boolean;
  variants: Schema[];
}

const isNull = ({ type }: Schema): boolean => [type].flat().join() === 'null';

/** Splits a schema into variants. How a schema allows null (by type, enum or variant) does not matter to callers. */
export function shapeOf(document: object, schema: Schema): SchemaShape {
  if (schema.$ref !== undefined) {
    const target = shapeOf(document, resolveSchema(document, schema));
    const isPlain = !target.nullable && target.variants.length === 1 && !isUnion(deref(document, schema));
    return isPlain ? { nullable: false, variants: [schema] } : target;
  }
  const all = schema.anyOf ?? schema.oneOf;
  if (all) {
    const shapes = all.filter((each) => !isNull(each)).map((each) => shapeOf(document, each));
    const beside = extensionsOf(schema);
    const withBeside = (each: Schema): Schema => ({ ...resolveSchema(document, each), ...beside });
    const variants = shapes.flatMap((shape) => shape.variants);
    return {
      nullable: all.some(isNull) || shapes.some(({ nullable }) => nullable),
      variants: Object.keys(beside).length > 0 ? variants.map(withBeside) : variants,
    };
  }
  if (schema.allOf) return { nullable: false, variants: [mergedOf(document, schema)] };
  const types = [schema.type ?? []].flat();
  const values = schema['enum'] as unknown[] | undefined;
  if (!types.includes('null') && !values?.includes(null)) return { nullable: false, variants: variantsOf(schema) };
  const plain: Schema = { ...schema };
  if (types.length > 0) plain.type = types.filter((type) => type !== 'null');
  if (values) plain['enum'] = values.filter((value) => value !== null);
  return { nullable: types.length === 0 || types.includes('null'), variants: variantsOf(plain) };
}

/**
 * Keywords that limit the values of one type only. A schema with a list of types is compared as one variant for each
 * type, with the limits of that type.
 */
const LIMITS_OF: Record<string, RegExp> = { string: /Length$|^pattern$|^format$/, integer: /imum$/, number: /imum$/ };

function variantsOf(schema: Schema): Schema[] {
  const types = [schema.type ?? []].flat();
  if (types.length < 2) return [schema];
  return types.map((type) => {
    const others = Object.entries(LIMITS_OF).flatMap(([other, limits]) =>
      other === type || (/imum/.test(String(limits)) && /^(integer|number)$/.test(type)) ? [] : [limits],
    );
    const own = Object.entries(schema).filter(([key]) => !others.some((limits) => limits.test(key)));
    return { ...Object.fromEntries(own), type };
  });
}

/** The `x-` keywords of a schema with variants apply to each variant. */
const extensionsOf = (schema: Schema): Schema =>
  Object.fromEntries(Object.entries(schema).filter(([key]) => key.startsWith('x-')));

const isUnion = ({ anyOf, oneOf }: Schema): boolean => (anyOf ?? oneOf) !== undefined;

export function resolveSchema(document: object, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const { $ref: _reference, ...beside } = schema;
  return { ...deref(document, schema), ...beside };
}

function mergedOf(document: object, { allOf = [], ...beside }: Schema & { allOf?: Schema[] }): Schema {
  const parts = [...allOf.map((each) => resolveSchema(document, each)), beside];
  return parts.reduce<Schema>((whole, part) => {
    const one = part['allOf'] ? mergedOf(document, part) : part;
    const required = [...(whole.required ?? []), ...(one.required ?? [])];
    const properties = { ...whole.properties, ...one.properties };
    return {
      ...whole,
      ...one,
      ...(required.length > 0 && { required: [...new Set(required)] }),
      ...(Object.keys(properties).length > 0 && { properties }),
    };
  }, {});
}

export function typesOf({ type }: Schema): Set<string> | null {
  const types = [type ?? []].flat();
  return types.length === 0 ? null : new Set(types);
}

export function valuesOf(schema: Schema): unknown[] | null {
  if ('const' in schema) return [schema['const']];
  return (schema['enum'] as unknown[] | undefined) ?? null;
}

const WORDING = new Set(['description', 'title', 'summary', 'example', 'examples', 'tags', 'externalDocs', '$comment']);

export function withoutWording(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutWording);
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node)
      .filter(([key, value]) => !WORDING.has(key) || (typeof value === 'object' && !Array.isArray(value)))
      .map(([key, value]) => [key, withoutWording(value)]),
  );
}

export function rewordedKeys(before: object, after: object): string[] {
  return [...WORDING].filter(
    (key) => JSON.stringify((before as Schema)[key]) !== JSON.stringify((after as Schema)[key]),
  );
}
