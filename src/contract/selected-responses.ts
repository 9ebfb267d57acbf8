import { jsonOf, operationsOf, type Contract, type ContractOperation, type Schema } from './contract.ts';
import { deref } from './references.ts';

/** Where the answer of an operation refers to its record, or to each of them. */
interface RecordLocation {
  of: Record<string, unknown>;
  key: 'data' | 'items' | 'schema';
  record: Schema;
}

/** Null for an operation without `_fields`. */
export function recordLocationOf(contract: Contract, operation: ContractOperation): RecordLocation | null {
  if (!(operation.parameters ?? []).some((each) => deref(contract, each).name === '_fields')) return null;
  const media = jsonOf(operation.responses['200']);
  const place = media && locationIn(contract, media);
  if (!place?.ref?.$ref) throw new Error(`The record of ${operation.operationId} has no name.`);
  return { of: place.of, key: place.key, record: deref(contract, place.ref) };
}

/** Under `data`, or, where an answer is bare, the answer itself; each of a list. */
function locationIn(contract: Contract, media: { schema: Schema }) {
  const body = deref(contract, media.schema);
  const { data } = body.properties ?? {};
  const list = [body, data].find((each) => each?.items);
  if (list) return { of: list, key: 'items' as const, ref: list.items };
  if (data && body.properties) return { of: body.properties, key: 'data' as const, ref: data };
  return { of: media, key: 'schema' as const, ref: media.schema };
}

/**
 * A contract by which an answer may show a part of each record, as `_fields` asks. Published a record has all its
 * fields: who makes no selection gets whole ones, and a schema that allowed for both would tell a generated client
 * nothing.
 */
export function withFieldSelection(contract: Contract): Contract {
  const loose = structuredClone(contract);
  // Operations may share an answer.
  const places = new Map(
    operationsOf(loose).flatMap(({ operation }) => {
      const place = recordLocationOf(loose, operation);
      return place ? [[place.of, place] as const] : [];
    }),
  );
  for (const { of, key, record } of places.values()) of[key] = { anyOf: [of[key], partialRecord(loose, record)] };
  return loose;
}

/** Nothing of it need be there but what identifies it, and what lies within it may be a part as well. */
function partialRecord(contract: Contract, record: Schema): Schema {
  const identified = record.required?.includes('id') ? { required: ['id'] } : {};
  return { ...withOptionalFields(contract, record), ...identified };
}

/** What is referred to stays so, unless it has parts of its own. */
function withOptionalFields(contract: Contract, schema: Schema): Schema {
  const target = deref(contract, schema);
  const { properties, items, anyOf } = target;
  if (!properties && !items && !anyOf) return schema;
  const { $ref: _reference, ...beside } = schema;
  const { required: _required, ...rest } = { ...target, ...beside };
  const each = (inner: Schema): Schema => withOptionalFields(contract, inner);
  return {
    ...rest,
    ...(properties && { properties: mapValues(properties, each) }),
    ...(items && { items: each(items) }),
    ...(anyOf && { anyOf: anyOf.map(each) }),
  };
}

const mapValues = (all: Record<string, Schema>, change: (schema: Schema) => Schema): Record<string, Schema> =>
  Object.fromEntries(Object.entries(all).map(([name, schema]) => [name, change(schema)]));
