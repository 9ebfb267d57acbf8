/** The fields of a schema as a tree, for the lists of fields on the pages. */
import { deref, componentNameOf, type Contract, type Schema } from '../../src/contract/index.ts';
import { inlineText } from './markdown.ts';

export interface Field {
  name: string;
  type: string;
  isRequired: boolean;
  /** Limits such as `1 to 255 characters`. */
  limits: string[];
  /** In a request, the value of an omitted field; in a response, the value of a setting that was never changed. */
  default?: string;
  values?: FieldValues;
  /** Markdown without line breaks. */
  description: string;
  example?: string;
  groups: FieldGroup[];
}

interface FieldValues {
  /** `Known values` if a later release may add values. */
  label: 'Known values' | 'Allowed values' | 'Possible values';
  shown: string[];
}

/** Fields of an object, or of one of the variants of a value. */
export interface FieldGroup {
  /** Markdown. Empty if there is only one variant. */
  title: string;
  fields: Field[];
}

interface SchemaContext {
  contract: Contract;
  /** True for requests. Required fields are only shown there. */
  isInput: boolean;
  /** Codes that an item of the response can have, instead of all that the schema knows. */
  itemCodes?: readonly string[];
}

const MAX_DEPTH = 4;
const MAX_PATTERN_LENGTH = 60;
const ITEM_CODE = 'ItemErrorCode';
const SENTENCE_END = /(?<=\.)\s+/;
const BYTES_PER_MIB = 2 ** 20;

export function fieldGroups(
  contract: Contract,
  schema: Schema,
  isInput: boolean,
  itemCodes: readonly string[] = [],
): FieldGroup[] {
  return groupsOf({ contract, isInput, itemCodes }, schema, 0, []);
}

/** `ancestors` are the names of the enclosing schemas. A schema that contains itself ends there. */
function groupsOf(context: SchemaContext, schema: Schema, depth: number, ancestors: readonly string[]): FieldGroup[] {
  const name = componentNameOf(schema);
  if (depth > MAX_DEPTH || (name !== undefined && ancestors.includes(name))) return [];
  const path = name === undefined ? ancestors : [...ancestors, name];
  const target = deref(context.contract, schema);
  const inner = (each: Schema): FieldGroup[] => groupsOf(context, each, depth, path);
  const variants = nonNullVariants(context.contract, target)
    .map((variant) => ({
      description: descriptionOf(context.contract, variant),
      fields: inner(variant).flatMap((group) => group.fields),
    }))
    .filter(({ fields }) => fields.length > 0);
  if (variants.length > 1)
    return variants.map(({ description, fields }, index) => ({
      title: `**Option ${index + 1}.** ${description}`.trim(),
      fields,
    }));
  if (variants.length === 1) return variants.map(({ fields }) => ({ title: '', fields }));
  if (target.items) return inner(target.items);
  const { properties, additionalProperties, required = [] } = target;
  const fieldIn = (field: string, its: Schema): Field =>
    fieldOf(context, field, its, required.includes(field), groupsOf(context, its, depth + 1, path));
  const fields = Object.entries(properties ?? {}).map(([field, its]) => fieldIn(field, its));
  if (typeof additionalProperties === 'object') {
    const others = fieldIn('<key>', additionalProperties);
    if (fields.length > 0 || hasFacts(others)) fields.push(others);
  }
  return fields.length === 0 ? [] : [{ title: '', fields }];
}

/** True if a list of fields shows more of the values of a map than their type. */
const hasFacts = ({ groups, description, limits, values }: Field): boolean =>
  groups.length > 0 || description !== '' || limits.length > 0 || values !== undefined;

export function fieldOf(
  context: SchemaContext,
  name: string,
  schema: Schema,
  isRequired: boolean,
  groups: FieldGroup[],
): Field {
  const { contract, isInput } = context;
  const { $ref: _, ...own } = schema;
  const target: Schema = { ...deref(contract, schema), ...own };
  const codes = componentNameOf(schema) === ITEM_CODE ? (context.itemCodes ?? []) : [];
  const values = codes.length > 0 ? knownValues(codes) : valuesOf(context, target);
  return {
    name,
    type: typeOf(contract, target),
    isRequired: isRequired && isInput,
    limits: limitsOf(context, target),
    ...(target.default !== undefined && { default: valueText(target.default) }),
    ...(values && { values }),
    description: descriptionOf(contract, target),
    groups,
  };
}

/**
 * Returns the description as Markdown. The schema of the items, or of the value if it is not null, often has details
 * that the description lacks: its sentences after the first, which only names the value, are appended.
 */
function descriptionOf(contract: Contract, schema: Schema): string {
  const target = deref(contract, schema);
  const { description } = target;
  const own = typeof description === 'string' ? inlineText(description) : '';
  const [value, ...others] = [...nonNullVariants(contract, target), ...(target.items ? [target.items] : [])];
  if (value === undefined || others.length > 0) return own;
  // The fields of a single object are listed below it, so its description would be repeated.
  if (value !== target.items && deref(contract, value).properties) return own;
  const inner = descriptionOf(contract, value);
  if (own === '') return inner;
  const details = inner.split(SENTENCE_END).slice(1);
  return [own, ...details.filter((sentence) => !own.includes(sentence.replace(/\.$/, '')))].join(' ');
}

const knownValues = (shown: readonly string[]): FieldValues => ({ label: 'Known values', shown: [...shown] });

const valueText = (value: unknown): string =>
  typeof value === 'string' && value !== '' ? value : JSON.stringify(value);

const nonNullVariants = (contract: Contract, { anyOf, oneOf }: Schema): Schema[] =>
  (anyOf ?? oneOf ?? []).filter((each) => deref(contract, each).type !== 'null');

function valuesOf(context: SchemaContext, schema: Schema): FieldValues | undefined {
  const { contract, isInput } = context;
  const target = deref(contract, schema);
  const variants = nonNullVariants(contract, target);
  if (variants.length === 1) return valuesOf(context, variants[0] as Schema);
  const known = target['x-extensible-enum'];
  const values = known ?? target['enum'];
  if (!Array.isArray(values)) return target.items && valuesOf(context, target.items);
  return {
    label: known ? 'Known values' : isInput ? 'Allowed values' : 'Possible values',
    shown: values.map(valueText),
  };
}

/** Markdown such as `` `0`, `1` ``. */
export const valueList = ({ shown }: FieldValues): string => shown.map((value) => `\`${value}\``).join(', ');

/** Sentences such as `1 to 255 characters` and `each item: 1 or more`, without a full stop. */
function limitsOf(context: SchemaContext, schema: Schema): string[] {
  const { contract } = context;
  const target = deref(contract, schema);
  const variants = nonNullVariants(contract, target);
  if (variants.length === 1) return limitsOf(context, variants[0] as Schema);
  const limits = [
    ...(isFile(target) ? [fileLimit(target)] : ownLimits(context, target)),
    target.items ? labelled('each item', limitsOf(context, target.items)) : '',
    ...variants.map((variant) => variantLimits(context, variant)),
  ];
  return limits.filter((limit) => limit !== '');
}

function ownLimits(context: SchemaContext, schema: Schema): string[] {
  const { isInput } = context;
  const { pattern, uniqueItems, propertyNames } = schema as {
    pattern?: unknown;
    uniqueItems?: unknown;
    propertyNames?: Schema;
  };
  const property = isMap(schema) ? 'entry' : 'field';
  // In a response, a minimum alone only says that a count or an ID is not negative.
  const isTrivial = !isInput && schema['maximum'] === undefined && Number(schema['minimum']) <= 1;
  return [
    isTrivial ? '' : rangeOf(schema, 'minimum', 'maximum'),
    hasFixedLength(schema) ? '' : rangeOf(schema, 'minLength', 'maxLength', 'character'),
    rangeOf(schema, 'minItems', 'maxItems', 'item'),
    rangeOf(schema, 'minProperties', 'maxProperties', property),
    propertyNames ? labelled('each key', limitsOf(context, { type: 'string', ...propertyNames })) : '',
    uniqueItems === true ? 'no duplicates' : '',
    typeof pattern === 'string' && pattern.length <= MAX_PATTERN_LENGTH ? `pattern: \`${pattern}\`` : '',
  ];
}

function variantLimits(context: SchemaContext, variant: Schema): string {
  const { contract } = context;
  const values = valuesOf(context, variant);
  const type = inWords(typesOf(contract, variant).filter((each) => each !== 'null'));
  const article = /^[aeio]/.test(type) ? 'an' : 'a';
  const allowed = values ? `${values.shown.length > 1 ? 'one of ' : ''}${valueList(values)}` : '';
  return labelled(`as ${article} ${type}`, [
    ...limitsOf(context, variant),
    allowed !== '' && deref(contract, variant).items ? `each item: ${allowed}` : allowed,
  ]);
}

const labelled = (label: string, limits: readonly string[]): string =>
  limits.some((limit) => limit !== '') ? `${label}: ${limits.filter((limit) => limit !== '').join(', ')}` : '';

/** True for an object whose keys are data, such as IDs of sites. */
const isMap = ({ properties, additionalProperties }: Schema): boolean =>
  !properties && typeof additionalProperties === 'object';

const hasFixedLength = ({ format }: Schema): boolean => format === 'date' || format === 'date-time';

/** True for a field of a form that holds an uploaded file. */
const isFile = (schema: Schema): boolean => typeof schema['contentMediaType'] === 'string';

const fileLimit = ({ maxLength }: Schema): string =>
  typeof maxLength === 'number' ? `at most ${maxLength / BYTES_PER_MIB} MiB` : '';

function rangeOf(schema: Schema, least: string, most: string, unit = ''): string {
  const limit = (key: string): number | undefined => {
    const value = schema[key];
    return typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : undefined;
  };
  const [min, max] = [limit(least), limit(most)];
  const counted = (count: number): string =>
    count.toLocaleString('en-US') + (unit === '' ? '' : ` ${count === 1 ? unit : pluralOf(unit)}`);
  // Every length is at least 0.
  const isFloor = min === undefined || (min === 0 && unit !== '');
  if (max === undefined) return isFloor ? '' : unit === '' ? `${counted(min)} or more` : `at least ${counted(min)}`;
  if (isFloor) return `at most ${counted(max)}`;
  return min === max ? `exactly ${counted(max)}` : `${min.toLocaleString('en-US')} to ${counted(max)}`;
}

const pluralOf = (unit: string): string => (unit.endsWith('y') ? `${unit.slice(0, -1)}ies` : `${unit}s`);

/** `integer`, `array of strings`, `string or null`. */
export function typeOf(contract: Contract, schema: Schema): string {
  return inWords(typesOf(contract, schema));
}

function typesOf(contract: Contract, schema: Schema): string[] {
  const target = deref(contract, schema);
  const variants = target.anyOf ?? target.oneOf;
  const types = variants
    ? variants.flatMap((variant) => typesOf(contract, variant))
    : [target.type ?? 'any'].flat().map((type) => typeName(contract, target, type));
  // Lists and null come last, so that "or" is clear.
  return [...new Set(types)].sort((one, other) => rankOf(one) - rankOf(other));
}

const rankOf = (type: string): number => (type === 'null' ? 2 : isComposed(type) ? 1 : 0);
const isComposed = (type: string): boolean => /^(array|map) of /.test(type);

function typeName(contract: Contract, target: Schema, type: string): string {
  const pluralTypeOf = (schema: Schema): string => inWords(typesOf(contract, schema).map(plural));
  const { additionalProperties, format, contentMediaType } = target as Schema & {
    format?: string;
    contentMediaType?: string;
  };
  if (type === 'array') return `array of ${pluralTypeOf(target.items ?? {})}`;
  if (type === 'object' && isMap(target) && typeof additionalProperties === 'object')
    return `map of ${pluralTypeOf(additionalProperties)}`;
  if (contentMediaType) return `file (${contentMediaType})`;
  return type === 'string' && format ? `string (${format})` : type;
}

/** Joins types with "or". A comma ends a list: `array of strings, or null`. */
const inWords = (types: readonly string[]): string =>
  types.reduce((text, type) => (text === '' ? type : `${text}${isComposed(text) ? ',' : ''} or ${type}`), '');

const plural = (type: string): string => (type === 'any' ? 'values of any type' : type.replace(/^\w+/, '$&s'));
