import { jsonMediaOf, operationsOf, type Contract, type ContractOperation, type Schema } from './contract.ts';
import { deref } from './references.ts';

/** Place of a record in a response schema: `of[key]` refers to the record. */
interface RecordLocation {
  of: Record<string, unknown>;
  key: 'data' | 'items' | 'schema';
  record: Schema;
}

export function recordLocationOf(contract: Contract, operation: ContractOperation): RecordLocation | null {
  if (!(operation.parameters ?? []).some((each) => deref(contract, each).name === '_fields')) return null;
  const media = jsonMediaOf(operation.responses['200']);
  const place = media && locationInMedia(contract, media);
  if (!place?.ref?.$ref) throw new Error(`The record of ${operation.operationId} has no name.`);
  return { of: place.of, key: place.key, record: deref(contract, place.ref) };
}

function locationInMedia(contract: Contract, media: { schema: Schema }) {
  const body = deref(contract, media.schema);
  const { data } = body.properties ?? {};
  const list = [body, data].find((each) => each?.items);
  if (list) return { of: list, key: 'items' as const, ref: list.items };
  if (data && body.properties) return { of: body.properties, key: 'data' as const, ref: data };
  return { of: media, key: 'schema' as const, ref: media.schema };
}

/**
 * Returns the contract of calls with `_fields`, which allows partial records. The published contract requires all
 * fields, because most calls select no fields, and optional fields would tell a generated client nothing.
 */
export function withPartialRecords(contract: Contract): Contract {
  const loose = structuredClone(contract);
  // Operations can share a response. The map contains each place once.
  const places = new Map(
    operationsOf(loose).flatMap(({ operation }) => {
      const place = recordLocationOf(loose, operation);
      return place ? [[place.of, place] as const] : [];
    }),
  );
  for (const { of, key, record } of places.values()) of[key] = { anyOf: [of[key], partialRecord(loose, record)] };
  return loose;
}

function partialRecord(contract: Contract, record: Schema): Schema {
  const identified = record.required?.includes('id') ? { required: ['id'] } : {};
  return { ...withOptionalFields(contract, record), ...identified };
}

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

export const selectsFields = (query: string): boolean =>
  [...new URLSearchParams(query)].some(([name, value]) =>
    name === 'context' ? value === 'embed' : /^_fields(\[|$)/.test(name) && value !== '',
  );
