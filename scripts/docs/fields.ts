/** The fields of a schema as a tree, for the lists of fields on the pages. */
import { deref, componentNameOf, type Contract, type Schema } from '../../src/contract/index.ts';
import { inlineText } from './markdown.ts';

export interface Field {
  name: string;
  type: string;
  isRequired: boolean;
  /** Limits such as `1 to 255 characters`. */
  limits: string[];
  /** Undefined in responses. */
  default?: string;
  /** Allowed values. `isOpen` is true if a later release may add values. */
  values?: { isOpen: boolean; shown: string[]; more: number };
  /** Markdown without line breaks. */
  description: string;
  example?: string;
  groups: FieldGroup[];
}

/** Fields of an object, or of one of the forms that a value can have. */
export interface FieldGroup {
  /** Markdown. Empty if there is only one form. */
  title: string;
  fields: Field[];
}

const MAX_DEPTH = 4;
const MAX_SHOWN_VALUES = 24;
const MAX_PATTERN_LENGTH = 60;

interface Reading {
  contract: Contract;
  /** True for input: only there do defaults and required fields concern the caller. */
  isInput: boolean;
}

export function fieldGroups(contract: Contract, schema: Schema, isInput: boolean): FieldGroup[] {
  return groupsOf({ contract, isInput }, schema, 0, []);
}

/** `open` holds the schemas around this one, so that a schema that contains itself ends. */
function groupsOf(reading: Reading, schema: Schema, depth: number, open: readonly string[]): FieldGroup[] {
  const name = componentNameOf(schema);
  if (depth > MAX_DEPTH || (name !== undefined && open.includes(name))) return [];
  const within = name === undefined ? open : [...open, name];
  const target = deref(reading.contract, schema);
  const variants = nonNullVariants(reading.contract, target);
  const inner = (each: Schema): FieldGroup[] => groupsOf(reading, each, depth, within);
  if (variants.length === 1) return inner(variants[0] as Schema);
  if (variants.length > 1)
    return variants.flatMap((variant, index) => {
      const { description } = deref(reading.contract, variant);
      const text = typeof description === 'string' ? ` ${inlineText(description)}` : '';
      const fields = inner(variant).flatMap((group) => group.fields);
      return fields.length === 0 ? [] : [{ title: `Form ${index + 1} of ${variants.length}.${text}`, fields }];
    });
  if (target.items) return inner(target.items);
  const { properties, additionalProperties, required = [] } = target;
  const fieldIn = (field: string, its: Schema): Field =>
    fieldOf(reading, field, its, required.includes(field), groupsOf(reading, its, depth + 1, within));
  const fields = Object.entries(properties ?? {}).map(([field, its]) => fieldIn(field, its));
  if (typeof additionalProperties === 'object') {
    const others = fieldIn('<any key>', additionalProperties);
    if (fields.length > 0 || others.groups.length > 0) fields.push(others);
  }
  return fields.length === 0 ? [] : [{ title: '', fields }];
}

export function fieldOf(
  { contract, isInput }: Reading,
  name: string,
  schema: Schema,
  isRequired: boolean,
  groups: FieldGroup[],
): Field {
  const { $ref: _, ...own } = schema;
  const target: Schema = { ...deref(contract, schema), ...own };
  const values = valuesOf(target);
  return {
    name,
    type: typeOf(contract, schema),
    isRequired: isRequired && isInput,
    limits: limitsOf(target),
    ...(isInput &&
      target.default !== undefined && {
        default: typeof target.default === 'string' ? target.default : JSON.stringify(target.default),
      }),
    ...(values && { values }),
    description: typeof target.description === 'string' ? inlineText(target.description) : '',
    groups,
  };
}

const nonNullVariants = (contract: Contract, { anyOf, oneOf }: Schema): Schema[] =>
  (anyOf ?? oneOf ?? []).filter((each) => deref(contract, each).type !== 'null');

function valuesOf(target: Schema): Field['values'] {
  const known = target['x-extensible-enum'] ?? target.items?.['x-extensible-enum'];
  const values = known ?? target['enum'] ?? target.items?.['enum'];
  if (!Array.isArray(values)) return undefined;
  return {
    isOpen: known !== undefined,
    shown: values.slice(0, MAX_SHOWN_VALUES).map(String),
    more: Math.max(values.length - MAX_SHOWN_VALUES, 0),
  };
}

/** `1 to 255 characters`, `at most 500 items`, `1 or more`. */
function limitsOf(schema: Schema): string[] {
  const { pattern } = schema as { pattern?: unknown };
  return [
    rangeOf(schema, 'minimum', 'maximum'),
    rangeOf(schema, 'minLength', 'maxLength', 'character'),
    rangeOf(schema, 'minItems', 'maxItems', 'item'),
    typeof pattern === 'string' && pattern.length <= MAX_PATTERN_LENGTH ? `pattern \`${pattern}\`` : '',
  ].filter((limit) => limit !== '');
}

function rangeOf(schema: Schema, least: string, most: string, unit = ''): string {
  const limit = (key: string): number | undefined => {
    const value = schema[key];
    return typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : undefined;
  };
  const [min, max] = [limit(least), limit(most)];
  const counted = (count: number): string => (unit === '' ? '' : ` ${unit}${count === 1 ? '' : 's'}`);
  // Every length is at least 0.
  const isFloor = min === undefined || (min === 0 && unit !== '');
  if (max === undefined) return isFloor ? '' : unit === '' ? `${min} or more` : `at least ${min}${counted(min)}`;
  if (isFloor) return `at most ${max}${counted(max)}`;
  return min === max ? `exactly ${max}${counted(max)}` : `${min} to ${max}${counted(max)}`;
}

/** `integer`, `array of strings`, `object or null`. */
export function typeOf(contract: Contract, schema: Schema): string {
  const target = deref(contract, schema);
  const variants = target.anyOf ?? target.oneOf;
  if (variants) return [...new Set(variants.map((each) => typeOf(contract, each)))].join(' or ');
  const types = [target.type ?? 'any'].flat().map((type) => {
    if (type === 'array') return `array of ${plural(typeOf(contract, target.items ?? {}))}`;
    const format = target['format'];
    return type === 'string' && typeof format === 'string' ? `string (${format})` : type;
  });
  return types.join(' or ');
}

const plural = (type: string): string => (/^(string|integer|number|boolean|object)$/.test(type) ? `${type}s` : type);
