import type { InnerCall } from '../../http/operation-types.ts';
import { CodedInvalidError } from '../../shared/errors.ts';
import type { OperationInput } from './operation.ts';

export interface RouteForm {
  method: InnerCall['method'];
  path: string;
  bodyType: string | null;
}

type Scalar = string | number | boolean;

/** Converts the input of an agent to a request. Throws `rest_invalid_param` for fields that the request cannot have. */
export function routeCallOf({ method, path, bodyType }: RouteForm, input: OperationInput): InnerCall {
  const { path: pathFields, query, body, ...unknown } = input;
  const [name] = Object.keys(unknown);
  if (name !== undefined) throw inputError(name, 'is not known; the input has the parts path, query and body');
  if (bodyType === null && body !== undefined) throw inputError('body', 'must not be sent to this operation');
  const call = { method, path: filledPath(path, fieldsIn('path', pathFields)) + searchOf(fieldsIn('query', query)) };
  if (bodyType === null) return call;
  return { ...call, headers: { 'content-type': bodyType }, body: structuredClone(body ?? {}) };
}

function fieldsIn(part: string, value: unknown): Record<string, unknown> {
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw inputError(part, 'must be an object');
  return value as Record<string, unknown>;
}

function filledPath(path: string, fields: Record<string, unknown>): string {
  const unused = new Set(Object.keys(fields));
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (value === undefined) throw inputError(`path.${name}`, 'is missing');
    if (!isScalar(value) || value === '') throw inputError(`path.${name}`, 'must be a text or a number');
    unused.delete(name);
    return encoded(`path.${name}`, value);
  });
  const [name] = unused;
  if (name !== undefined) throw inputError(`path.${name}`, 'is not a parameter of this path');
  return filled;
}

function searchOf(fields: Record<string, unknown>): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) => {
    if (value === undefined || value === null) return [];
    const values: unknown[] = Array.isArray(value) ? value : [value];
    if (!values.every(isScalar))
      throw inputError(`query.${name}`, 'must be a text, a number, a boolean or a list of them');
    return [`${encoded('query', name)}=${encoded(`query.${name}`, values.join(','))}`];
  });
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

function encoded(field: string, value: Scalar): string {
  try {
    return encodeURIComponent(value);
  } catch {
    throw inputError(field, 'must not contain half of a surrogate pair');
  }
}

const isScalar = (value: unknown): value is Scalar => ['string', 'number', 'boolean'].includes(typeof value);

function inputError(field: string, message: string): CodedInvalidError {
  const path = `input.${field}`;
  return new CodedInvalidError('rest_invalid_param', `${path} ${message}.`, { errors: [{ path, message }] });
}
