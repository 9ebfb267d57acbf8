import { CodedInvalidError } from '../shared/errors.ts';
import { deref, recordLocationOf, type Contract, type ContractOperation } from '../contract/index.ts';
import type { ErrorDialect } from './errors.ts';

type InvalidInput = ErrorDialect['invalidInput'];

/**
 * Implements `_fields`. A dot selects an inner field, and `id` is always included. A field that needs a parameter such
 * as `with_<field>` or `full_data` turns that parameter on.
 */
export class FieldSelection {
  readonly #known: ReadonlyMap<string, string | undefined>;

  constructor(known: Iterable<readonly [field: string, parameter: string | undefined]>) {
    this.#known = new Map(known);
  }

  static of(contract: Contract, operation: ContractOperation): FieldSelection | null {
    const place = recordLocationOf(contract, operation);
    if (!place) return null;
    const { properties = {}, required = [] } = place.record;
    const parameters = new Set((operation.parameters ?? []).map((each) => deref(contract, each).name));
    return new FieldSelection(
      Object.keys(properties).map((name) => [
        name,
        required.includes(name) ? undefined : [`with_${name}`, 'full_data'].find((each) => parameters.has(each)),
      ]),
    );
  }

  /**
   * Returns the selected fields, or null without `_fields`. Also turns on the parameters in `query` that these fields
   * need, such as `with_<field>`. Throws `code` for an unknown field.
   */
  read(query: Record<string, unknown>, code: InvalidInput): readonly string[] | null {
    const selection = query['_fields'] as string[] | undefined;
    if (!selection) return null;
    const names = selection.map((name) => name.trim());
    const strange = names.find((name) => !this.#known.has(topLevelFieldOf(name)));
    if (strange === undefined) {
      for (const parameter of names.flatMap((name) => this.#known.get(topLevelFieldOf(name)) ?? []))
        query[parameter] = true;
      return names;
    }
    const errors = [
      {
        path: 'query._fields',
        message: `contains ${JSON.stringify(strange.slice(0, 64))}, which is not a field of the records`,
      },
    ];
    throw new CodedInvalidError(code, `${errors[0]?.path} ${errors[0]?.message}`, { errors });
  }
}

const topLevelFieldOf = (name: string): string => name.split('.')[0] ?? '';

export function selectFields(body: unknown, fields: readonly string[]): unknown {
  const cut = (records: unknown): unknown =>
    Array.isArray(records) ? records.map((each) => pickFields(each, fields)) : pickFields(records, fields);
  const isEnveloped = typeof body === 'object' && body !== null && 'data' in body;
  return isEnveloped ? { ...body, data: cut(body.data) } : cut(body);
}

function pickFields(record: unknown, fields: readonly string[]): unknown {
  if (typeof record !== 'object' || record === null) return record;
  const inner = new Map<string, string[]>();
  const shown = new Set<string>(['id']);
  for (const field of fields) {
    const [first = '', ...rest] = field.split('.');
    shown.add(first);
    if (rest.length > 0) inner.set(first, [...(inner.get(first) ?? []), rest.join('.')]);
  }
  // A field that is selected as a whole and in part is returned as a whole.
  for (const field of fields) inner.delete(field);
  return Object.fromEntries(
    Object.entries(record)
      .filter(([name]) => shown.has(name))
      .map(([name, value]) => [name, inner.has(name) ? pickFieldsWithin(value, inner.get(name) ?? []) : value]),
  );
}

const pickFieldsWithin = (value: unknown, fields: string[]): unknown =>
  Array.isArray(value) ? value.map((each) => pickFields(each, fields)) : pickFields(value, fields);
