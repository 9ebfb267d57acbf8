/** The fields of a schema as a nested list in Markdown. */
import { deref, componentNameOf, type Contract, type Schema } from '../../src/contract/index.ts';
import { inlineText } from './markdown.ts';

const MAX_DEPTH = 4;
const MAX_SHOWN_VALUES = 24;

/** One line a field, and below it the fields of what it holds. */
export function fieldList(contract: Contract, schema: Schema, withDefaults: boolean): string[] {
  return fieldsOf({ contract, withDefaults }, schema, 0, []);
}

interface FieldListContext {
  contract: Contract;
  withDefaults: boolean;
}

function fieldsOf(reading: FieldListContext, schema: Schema, depth: number, open: readonly string[]): string[] {
  const name = componentNameOf(schema);
  if (depth > MAX_DEPTH || (name !== undefined && open.includes(name))) return [];
  const within = name === undefined ? open : [...open, name];
  const target = deref(reading.contract, schema);
  const variants = variantsOf(reading.contract, target);
  const inner = (each: Schema): string[] => fieldsOf(reading, each, depth, within);
  if (variants.length === 1) return inner(variants[0] as Schema);
  if (variants.length > 1)
    return variants.flatMap((variant, index) => {
      const lines = inner(variant);
      const { description } = deref(reading.contract, variant);
      const says = typeof description === 'string' ? ` ${inlineText(description)}` : '';
      return lines.length === 0
        ? []
        : [`${indent(depth)}- Form ${index + 1} of ${variants.length}.${says}`, ...lines.map((line) => `  ${line}`)];
    });
  if (target.items) return inner(target.items);
  const { properties, additionalProperties, required = [] } = target;
  const named = Object.entries(properties ?? {}).flatMap(([field, its]) => [
    `${indent(depth)}- ${lineOf(reading, field, its, required.includes(field))}`,
    ...fieldsOf(reading, its, depth + 1, within),
  ]);
  if (typeof additionalProperties !== 'object') return named;
  const others = fieldsOf(reading, additionalProperties, depth + 1, within);
  if (named.length === 0 && others.length === 0) return [];
  return [...named, `${indent(depth)}- Any key: ${typeOf(reading.contract, additionalProperties)}`, ...others];
}

const indent = (depth: number): string => '  '.repeat(depth);

/** What a value may be, null aside. */
function variantsOf(contract: Contract, { anyOf, oneOf }: Schema): Schema[] {
  return (anyOf ?? oneOf ?? []).filter((each) => deref(contract, each).type !== 'null');
}

function lineOf(
  { contract, withDefaults }: FieldListContext,
  name: string,
  schema: Schema,
  isRequired: boolean,
): string {
  const target = { ...deref(contract, schema), ...withoutReference(schema) };
  const marks = [
    typeOf(contract, schema),
    ...(isRequired && withDefaults ? ['**required**'] : []),
    ...limitsOf(target),
  ];
  if (withDefaults && target.default !== undefined) marks.push(`default \`${JSON.stringify(target.default)}\``);
  return `\`${name}\` ${marks.join(', ')}${descriptionOf(target)}${valuesOf(target)}`;
}

const descriptionOf = ({ description }: Schema): string =>
  typeof description === 'string' && description !== '' ? `: ${inlineText(description)}` : '';

function withoutReference({ $ref: _, ...own }: Schema): Schema {
  return own;
}

function valuesOf(target: Schema): string {
  const known = target['x-extensible-enum'] ?? target.items?.['x-extensible-enum'];
  const values = known ?? target['enum'] ?? target.items?.['enum'];
  if (!Array.isArray(values)) return '';
  const shown = values.slice(0, MAX_SHOWN_VALUES).map((value) => `\`${String(value)}\``);
  const more = values.length > MAX_SHOWN_VALUES ? `, and ${values.length - MAX_SHOWN_VALUES} more` : '';
  return ` ${known ? 'Known values:' : 'One of'} ${shown.join(', ')}${more}.`;
}

const LIMITS: readonly (readonly [string, string])[] = [
  ['minimum', 'at least'],
  ['maximum', 'at most'],
  ['minLength', 'characters at least'],
  ['maxLength', 'characters at most'],
  ['minItems', 'items at least'],
  ['maxItems', 'items at most'],
];

const limitsOf = (schema: Schema): string[] =>
  LIMITS.flatMap(([key, words]) => {
    const value = schema[key];
    if (typeof value !== 'number' || Math.abs(value) >= Number.MAX_SAFE_INTEGER) return [];
    return [words.startsWith('at') ? `${words} ${value}` : `${value} ${words}`];
  });

/** `integer`, `list of string`, `object or null`. */
export function typeOf(contract: Contract, schema: Schema): string {
  const target = deref(contract, schema);
  const variants = target.anyOf ?? target.oneOf;
  if (variants) return [...new Set(variants.map((each) => typeOf(contract, each)))].join(' or ');
  const types = [target.type ?? 'any'].flat().map((type) => {
    if (type === 'array') return `list of ${typeOf(contract, target.items ?? {})}`;
    const format = target['format'];
    return type === 'string' && typeof format === 'string' ? `string (${format})` : type;
  });
  return types.join(' or ');
}
