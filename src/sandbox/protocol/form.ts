import qs from 'qs';

/**
 * Fields of a form, parsed as PHP does: `+` is a space, `a[b]` and `a[0]` nest, the last of several values wins, and
 * only the first 1,000 variables are read (`max_input_vars`, protocol 1.3).
 */
export type PhpFormFields = Record<string, unknown>;

const MAX_INPUT_VARS = 1000;

export function parseForm(body: string): PhpFormFields {
  return qs.parse(body, {
    plainObjects: true,
    duplicates: 'last',
    depth: 16,
    arrayLimit: MAX_INPUT_VARS,
    parameterLimit: MAX_INPUT_VARS,
    ignoreQueryPrefix: false,
  });
}

export function textField(fields: PhpFormFields, name: string): string {
  const value = fields[name];
  return typeof value === 'string' ? value : '';
}

export function hasField(fields: PhpFormFields, name: string): boolean {
  return fields[name] !== undefined;
}

export function isTruthy(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '' && value !== '0' && value !== 0 && value !== false;
}

/** Returns a list of texts. The form contains it as `name[0]=…` or as one value. */
export function listField(fields: PhpFormFields, name: string): string[] {
  const value = fields[name];
  const items: unknown[] =
    typeof value === 'object' && value !== null ? Object.values(value) : value === undefined ? [] : [value];
  return items.filter((item): item is string => typeof item === 'string');
}

export function recordField(fields: PhpFormFields, name: string): PhpFormFields {
  const value = fields[name];
  return typeof value === 'object' && value !== null ? (value as PhpFormFields) : {};
}

export function parseJsonOrUndefined(source: string): unknown {
  try {
    return JSON.parse(source) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * Implements PHP's `stripslashes`, which the child plugin applies a second time to `othersData` and `url` (protocol
 * 1.4).
 */
export function stripSlashes(source: string): string {
  return source.replace(/\\(.?)/gs, '$1');
}

export function parseBase64Record(source: string): PhpFormFields {
  const value = parseJsonOrUndefined(Buffer.from(source, 'base64').toString('utf8'));
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as PhpFormFields) : {};
}

export function splitCommaList(source: string): string[] {
  return source.split(',').filter((item) => item !== '');
}
