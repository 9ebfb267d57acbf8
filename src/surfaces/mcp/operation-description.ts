import type { JsonSchema, Operation } from './operation.ts';

export interface DescriptionOptions {
  withOutput: boolean;
  /** Names of nested fields, joined by dots: only this part of the input is described. Undefined: the whole input. */
  field: string | undefined;
  maxCharacters: number;
}

type Description = Record<string, unknown>;

export function describeOperation(
  operation: Operation,
  { withOutput, field, maxCharacters }: DescriptionOptions,
): Description | null {
  const { id, title, group, address, effect, isIdempotent, policy, description, instructions, fileTypes } = operation;
  const input = field === undefined ? operation.input() : schemaAt(operation.input(), field.split('.'));
  if (!input) return null;
  const facts: Description = {
    operation: id,
    title,
    description,
    ...(instructions !== '' && { instructions }),
    group,
    address,
    effect,
    idempotent: isIdempotent,
    permission: policy.permission,
    ...(policy.module !== null && { module: policy.module }),
    ...(fileTypes.length > 0 && { files: fileTypes }),
    ...(effect === 'destroys' && { confirmation: CONFIRMATION_NOTE }),
    ...(field !== undefined && { field }),
  };
  const shares = withOutput ? 2 : 1;
  const room = (maxCharacters - JSON.stringify(facts).length - 300) / shares;
  const cutInput = schemaWithin(input, room);
  const output = withOutput ? schemaWithin(operation.output(), room) : null;
  const cut = [...(cutInput.isCut ? ['input_schema'] : []), ...(output?.isCut ? ['output_schema'] : [])];
  return {
    ...facts,
    input_schema: cutInput.schema,
    ...(output && { output_schema: output.schema }),
    ...(cut.length > 0 && { cut: `${cut.join(' and ')}: ${CUT_NOTE}` }),
  };
}

export const CONFIRMATION_NOTE =
  'The first call returns a preview and a confirmation_token. To execute it, repeat the call with this token.';
const CUT_NOTE =
  'too long, so nested fields with "cut" are left out. Pass their names, joined by dots, in "field" to get a part of ' +
  'the input.';

/** Maximum depths of nesting, which are tried one after another. With 0, only the type of the whole schema is left. */
const DEPTHS = [8, 6, 5, 4, 3, 2, 1, 0] as const;

function schemaWithin(schema: JsonSchema, maxCharacters: number): { schema: JsonSchema; isCut: boolean } {
  if (JSON.stringify(schema).length <= maxCharacters) return { schema, isCut: false };
  let cut = schema;
  for (const depth of DEPTHS) {
    cut = withoutDeepFields(schema, depth);
    if (JSON.stringify(cut).length <= maxCharacters) break;
  }
  return { schema: cut, isCut: true };
}

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Cuts a schema after `depth` levels of fields, items and variants. Below them, a schema that has parts is reduced to
 * its type.
 */
function withoutDeepFields(schema: JsonSchema, depth: number): JsonSchema {
  const hasParts = 'properties' in schema || 'items' in schema || VARIANTS.some((word) => word in schema);
  if (depth <= 0 && hasParts) return { ...(schema['type'] !== undefined && { type: schema['type'] }), cut: true };
  const out: JsonSchema = { ...schema };
  if (isSchema(schema['properties']))
    out['properties'] = Object.fromEntries(
      Object.entries(schema['properties']).map(([name, field]) => [
        name,
        isSchema(field) ? withoutDeepFields(field, depth - 1) : field,
      ]),
    );
  if (isSchema(schema['items'])) out['items'] = withoutDeepFields(schema['items'], depth - 1);
  for (const word of VARIANTS)
    if (Array.isArray(schema[word]))
      out[word] = schema[word].map((each: unknown) => (isSchema(each) ? withoutDeepFields(each, depth - 1) : each));
  return out;
}

const VARIANTS = ['anyOf', 'oneOf', 'allOf'] as const;

/**
 * Returns the schema of a nested field. Items of a list have no name of their own: `sites`, `url` is the field `url` of
 * each item of `sites`.
 */
function schemaAt(schema: JsonSchema, names: readonly string[]): JsonSchema | undefined {
  const [name, ...rest] = names;
  if (name === undefined) return schema;
  const properties = schema['properties'];
  if (isSchema(properties) && Object.hasOwn(properties, name) && isSchema(properties[name]))
    return schemaAt(properties[name], rest);
  const inner = [schema['items'], ...VARIANTS.flatMap((word) => schema[word] ?? [])].filter(isSchema);
  for (const each of inner) {
    const part = schemaAt(each, names);
    if (part) return part;
  }
  return undefined;
}
