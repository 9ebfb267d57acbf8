import { handlerIdOf, nameIn, operationsOf, schemasOf, type Parameter, type Schema } from '../../src/contract/index.ts';
import type { Document } from './document.ts';
import { pascal, variantName } from './name-schemas.ts';

const ref = (name: string): string => `#/components/schemas/${name}`;

/**
 * Gives every set of words that a value may be (an enum of texts) a name of its own, of which a client generator makes
 * one type: the one that the sources gave it, else one after where it stands. A word or null is `anyOf` the two. Flags
 * and other enums of numbers stay where they are, because a name would say less than the number.
 */
export function nameEnums(document: Document): Document {
  const named = structuredClone(document);
  const schemas = schemasOf(named);
  const names = new Names(schemas);
  const nullable = new Map(Object.entries(schemas).filter(([, schema]) => isEnum(schema) && allowsNull(schema)));
  for (const name of nullable.keys()) delete schemas[name];

  const settle = (schema: Schema, wanted: string): Schema => {
    const source = nullable.get(nameIn(schema) ?? '');
    if (source) return settle({ ...source, ...without(schema, '$ref') }, nameIn(schema) ?? wanted);
    if (!isEnum(schema)) return inside(schema, wanted);
    const { type: _kinds, enum: _words, 'x-enum': ownName, ...beside } = schema;
    const words = wordsOf(schema);
    const { description } = schema;
    const $ref = ref(
      typeof ownName === 'string' ? names.give(ownName, words, description) : names.of(words, wanted, description),
    );
    return allowsNull(schema) ? { anyOf: [{ $ref }, { type: 'null' }], ...beside } : { $ref, ...beside };
  };
  const inside = (schema: Schema, parent: string): Schema => {
    const { properties, items, additionalProperties: values, anyOf, oneOf } = schema;
    return {
      ...schema,
      ...(properties && { properties: mapFields(properties, (each, name) => settle(each, parent + pascal(name))) }),
      ...(items && { items: settle(items, `${parent}Item`) }),
      ...(typeof values === 'object' && { additionalProperties: settle(values, `${parent}Value`) }),
      ...(anyOf && { anyOf: anyOf.map((each, index) => settle(each, variantName(parent, anyOf, index))) }),
      ...(oneOf && { oneOf: oneOf.map((each, index) => settle(each, variantName(parent, oneOf, index))) }),
    };
  };
  /** Beside a reference, generators take the default of a parameter for a value of any type. */
  const settleParameter = (parameter: Parameter, wanted: string): void => {
    const { schema } = parameter;
    if (schema && 'default' in schema)
      parameter.schema = { ...schemas[nameIn(schema) ?? ''], ...without(schema, '$ref') };
    else if (schema) parameter.schema = settle(schema, wanted);
  };

  for (const [name, schema] of Object.entries(schemas)) if (!isEnum(schema)) schemas[name] = inside(schema, name);
  for (const [name, parameter] of Object.entries(named.components['parameters'] ?? {}))
    settleParameter(parameter as Parameter, name);
  for (const { operation } of operationsOf(named))
    for (const parameter of operation.parameters ?? [])
      settleParameter(parameter, pascal(handlerIdOf(operation.operationId)) + pascal(parameter.name ?? ''));
  dropUnused(schemas, named);
  if (names.problems.length > 0) throw new Error(`In the sources:\n${names.problems.join('\n')}`);
  return named;
}

/** Which words have which name. */
class Names {
  readonly problems: string[] = [];
  readonly #schemas: Record<string, Schema>;
  readonly #ofWords = new Map<string, string[]>();
  /** Names after a place: they would move when the words came to stand at another place as well. */
  readonly #ofPlaces = new Set<string>();

  constructor(schemas: Record<string, Schema>) {
    this.#schemas = schemas;
    for (const [name, schema] of Object.entries(schemas))
      if (isEnum(schema) && !allowsNull(schema)) this.#learn(wordsOf(schema), name);
  }

  of(words: string[], wanted: string, description: unknown): string {
    // What an edit takes is what the record shows.
    const place = wanted.replace('SettingsEdit', 'Settings');
    const [name, ...others] = this.#ofWords.get(keyOf(words)) ?? [];
    if (name === place || others.includes(place)) return place;
    if (name === undefined) return this.#name(place, words, description);
    if (others.length > 0)
      this.problems.push(`${place} may be ${[name, ...others].join(' or ')}: refer to one of them.`);
    if (this.#ofPlaces.has(name)) this.problems.push(`${place} and ${name} are of the same words: give them one name.`);
    return name;
  }

  /** A field that stands in short, where no reference can, says its name itself. */
  give(name: string, words: string[], description: unknown): string {
    if (!this.#schemas[name]) {
      this.#schemas[name] = { type: 'string', enum: words, description };
      this.#learn(words, name);
    } else if (keyOf(wordsOf(this.#schemas[name])) !== keyOf(words))
      this.problems.push(`${name} is the name of two enums.`);
    return name;
  }

  #name(place: string, words: string[], description: unknown): string {
    if (this.#schemas[place]) this.problems.push(`An enum would be called ${place}, as another schema is: name it.`);
    this.#schemas[place] = { type: 'string', enum: words, description };
    this.#learn(words, place);
    this.#ofPlaces.add(place);
    return place;
  }

  #learn(words: string[], name: string): void {
    const key = keyOf(words);
    this.#ofWords.set(key, [...(this.#ofWords.get(key) ?? []), name]);
  }
}

/** Words of parameters alone, which have them in place. */
function dropUnused(schemas: Record<string, Schema>, document: Document): void {
  const text = JSON.stringify(document);
  for (const [name, schema] of Object.entries(schemas))
    if (isEnum(schema) && !text.includes(`"${ref(name)}"`)) delete schemas[name];
}

const kindsOf = ({ type }: Schema): unknown[] => [type].flat();
const allowsNull = (schema: Schema): boolean => kindsOf(schema).includes('null');
const wordsOf = (schema: Schema): string[] => (schema['enum'] as unknown[]).filter((word) => word !== null) as string[];
/** One word alone is a constant, and digits are a number in other spelling. */
export const isEnum = (schema: Schema): boolean =>
  Array.isArray(schema['enum']) &&
  kindsOf(schema).includes('string') &&
  wordsOf(schema).length > 1 &&
  !wordsOf(schema).every((word) => /^\d+$/.test(word));
const keyOf = (words: string[]): string => [...words].sort().join('\n');

const without = ({ ...schema }: Schema, key: string): Schema => {
  delete schema[key];
  return schema;
};

const mapFields = (
  fields: Record<string, Schema>,
  change: (schema: Schema, name: string) => Schema,
): Record<string, Schema> =>
  Object.fromEntries(Object.entries(fields).map(([name, each]) => [name, change(each, name)]));
