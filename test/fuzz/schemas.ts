import fc from 'fast-check';
import { deref, type Contract, type Schema } from '../../src/contract/index.ts';

/** Valid values by field name, such as IDs of existing records. Without them nearly every call would get 404. */
export type Hints = Record<string, fc.Arbitrary<unknown>>;

interface Facets extends Schema {
  enum?: unknown[];
  const?: unknown;
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  additionalProperties?: boolean | Schema;
}

const parseJson = (text: string): unknown => JSON.parse(text) as unknown;

/** Values that break programs: wrong types, limits, and names with a meaning in JavaScript, SQL, HTML, PHP, shells. */
export const HOSTILE_TEXTS = [
  ...[
    '',
    ' ',
    '\0',
    '\n',
    '\u202e',
    '\ufeff',
    '\ud800',
    '💥',
    'ß',
    'İ',
    '%',
    '%00',
    '%zz',
    '_',
    '\\',
    "'",
    '"',
    '`',
    ';',
    '--',
  ],
  ...[
    "' or 1=1 -- ",
    "'; drop table sites; --",
    '%_\\',
    '<script>alert(1)</script>',
    '{{7*7}}',
    '${7*7}',
    '$(id)',
    '|',
    '||',
    ',',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'null',
    'undefined',
    'NaN',
    'true',
    '[object Object]',
    '-0',
  ],
  ...[
    '0',
    '-1',
    '1e999',
    '0x10',
    '007',
    '1.5',
    '9007199254740993',
    '99999999999999999999',
    '../../etc/passwd',
    'a/../b',
    '//',
    'C:\\x',
  ],
  ...[
    'http://',
    'http://[',
    'https://a..b/',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'http://169.254.169.254/',
    'xn--',
    'ex ample',
  ],
  'x'.repeat(300),
  'ü'.repeat(3_000),
];

export const HOSTILE_VALUES: unknown[] = [
  ...HOSTILE_TEXTS,
  ...[null, true, false, 0, -0, -1, 1.5, 1e21, 1e308, -1e308, 2 ** 31, 2 ** 53, 2 ** 63, 2 ** 64],
  ...[[], {}, [[]], [null], [{}], [0, 0], ['a', 'a'], { '': '' }, { length: 3 }, { toString: 1 }],
  ...[
    parseJson('{"__proto__":{"admin":true}}'),
    parseJson('{"constructor":{"prototype":{"x":1}}}'),
    parseJson('[{"__proto__":[]}]'),
  ],
  Array.from({ length: 60 }, (_, index) => index),
];

export const hostileValue = fc.constantFrom(...HOSTILE_VALUES);

/** Returns values that a schema allows. */
export function validValue(contract: Contract, node: Schema, hints: Hints, name = ''): fc.Arbitrary<unknown> {
  const schema = resolve(contract, node);
  const inner = (each: Schema, itsName = name): fc.Arbitrary<unknown> => validValue(contract, each, hints, itsName);
  const plain = (): fc.Arbitrary<unknown> => {
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    const choices = schema.oneOf ?? schema.anyOf;
    if (choices) return fc.oneof(...choices.map((each) => inner(each)));
    const types = schema.type === undefined ? [schema.properties ? 'object' : 'any'] : [schema.type].flat();
    return fc.oneof(...types.map((type) => ofType(type, schema, inner)));
  };
  // A schema with properties takes precedence over its name: a batch has a group `sites`, which is a list elsewhere.
  const hint = schema.properties ? undefined : hints[name];
  return hint === undefined ? plain() : fc.oneof({ arbitrary: hint, weight: 4 }, { arbitrary: plain(), weight: 1 });
}

function resolve(contract: Contract, node: Schema): Facets {
  const { $ref, ...beside } = node;
  const target = $ref === undefined ? beside : { ...deref(contract, node), ...beside };
  const parts = (target as Facets).allOf;
  return parts ? Object.assign({}, ...parts.map((part) => resolve(contract, part)), target) : target;
}

function ofType(
  type: string,
  schema: Facets,
  inner: (node: Schema, name?: string) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.oneof(
        fc.integer({
          min: schema.minimum ?? -10,
          max: Math.min(schema.maximum ?? Infinity, (schema.minimum ?? 0) + 100),
        }),
        fc.integer({
          min: schema.minimum ?? Number.MIN_SAFE_INTEGER,
          max: schema.maximum ?? Number.MAX_SAFE_INTEGER,
        }),
        fc.constantFrom(schema.minimum ?? 0, schema.maximum ?? 1_000),
      );
    case 'number':
      return fc.double({
        noNaN: true,
        noDefaultInfinity: true,
        min: schema.minimum ?? -1e9,
        max: schema.maximum ?? 1e9,
      });
    case 'string':
      return text(schema);
    case 'array':
      return list(schema, inner(schema.items ?? {}));
    case 'object':
      return record(schema, inner);
    default:
      return fc.jsonValue();
  }
}

const texts = new Map<string, fc.Arbitrary<string>>();

/** Fields of one format share a generator, because creating it is slower than all its texts. */
function text({ pattern, format, minLength, maxLength }: Facets): fc.Arbitrary<string> {
  const form = JSON.stringify([pattern, format, minLength, maxLength]);
  const known = texts.get(form) ?? textOf({ pattern, format, minLength, maxLength });
  texts.set(form, known);
  return known;
}

function textOf({
  pattern,
  format,
  minLength = 0,
  maxLength = 400,
}: Pick<Facets, 'pattern' | 'format' | 'minLength' | 'maxLength'>): fc.Arbitrary<string> {
  const fits = (value: string): boolean => {
    const { length } = [...value];
    return length >= minLength && length <= maxLength;
  };
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern, 'u')).filter(fits);
  switch (format) {
    case 'date':
      return date.map((value) => value.slice(0, 10));
    case 'date-time':
      return date;
    case 'email':
      return fc.emailAddress().filter(fits);
    case 'uri':
      return fc.webUrl().filter(fits);
    default: {
      const known = HOSTILE_TEXTS.filter(fits);
      const any = fc.string({ minLength, maxLength: Math.min(maxLength, Math.max(minLength, 40)), unit: 'binary' });
      return known.length > 0 ? fc.oneof(any.filter(fits), fc.constantFrom(...known)) : any.filter(fits);
    }
  }
}

const date = fc
  .date({ noInvalidDate: true, min: new Date('1970-01-02T00:00:00Z'), max: new Date('2100-01-01T00:00:00Z') })
  .map((value) => value.toISOString());

function list(
  { minItems = 0, maxItems = 8, uniqueItems }: Facets,
  item: fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown[]> {
  const size = { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, 8)) };
  return uniqueItems === true
    ? fc.uniqueArray(item, { ...size, selector: (value) => JSON.stringify(value) })
    : fc.array(item, size);
}

function record(schema: Facets, inner: (node: Schema, name?: string) => fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const fields = Object.entries(schema.properties ?? {});
  const model = Object.fromEntries(fields.map(([name, node]) => [name, inner(node, name)]));
  return fc.record(model, { requiredKeys: (schema.required ?? []).filter((name) => name in model) });
}

/** Changes of a value: a field is dropped or added, or a value gets another type. */
export const MUTATIONS = ['drop', 'add', 'swap', 'inside', 'whole'] as const;
export type Mutation = (typeof MUTATIONS)[number];

/** Returns a value that is nearly valid, with this mutation or any. */
export function mutatedValue(value: fc.Arbitrary<unknown>, way?: Mutation): fc.Arbitrary<unknown> {
  const change = fc.record({
    how: way ? fc.constant(way) : fc.constantFrom('drop', 'add', 'swap', 'swap', 'inside', 'whole'),
    at: fc.nat(20),
    to: hostileValue,
  });
  return fc.tuple(value, change).map(([given, { how, at, to }]) => {
    if (how === 'whole' || typeof given !== 'object' || given === null || Array.isArray(given)) return to;
    const fields = { ...given } as Record<string, unknown>;
    const names = Object.keys(fields);
    const name = names[at % Math.max(1, names.length)] ?? 'x';
    if (how === 'drop') delete fields[name];
    else if (how === 'add') Object.defineProperty(fields, ADDED[at % ADDED.length] ?? 'x', shown(to));
    else if (how === 'inside' && Array.isArray(fields[name])) fields[name] = [...(fields[name] as unknown[]), to];
    else fields[name] = to;
    return fields;
  });
}

const ADDED = ['extra', '__proto__', 'constructor', '', 'a.b', '0', 'site_id', 'INPUT', "x'y", '<b>'];
const shown = (value: unknown): PropertyDescriptor => ({ value, enumerable: true, configurable: true, writable: true });
