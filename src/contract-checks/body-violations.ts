import type { ErrorObject } from 'ajv/dist/2020.js';

export interface BodyViolation {
  /**
   * JSON pointer to the place; empty for the whole body. `*` stands for each position in a list, because a fault
   * usually affects all records.
   */
  path: string;
  expected: string;
  got: string;
  places: number;
}

const LONGEST_VALUE = 80;

export function bodyViolationsOf(body: unknown, errors: ErrorObject[] | null | undefined): BodyViolation[] {
  const violations = new Map<string, BodyViolation>();
  for (const error of errors ?? []) {
    const { pointer, expected, got } = placeOf(body, error);
    const path = pointer.replaceAll(/\/\d+(?=\/|$)/g, '/*');
    const key = `${path} ${expected}`;
    const known = violations.get(key);
    if (known) known.places++;
    else violations.set(key, { path, expected, got, places: 1 });
  }
  return [...violations.values()];
}

function placeOf(body: unknown, error: ErrorObject): { pointer: string; expected: string; got: string } {
  const { instancePath, keyword, message = 'another value', params } = error;
  const value = valueAt(body, instancePath);
  const below = (name: string): string => `${instancePath}/${name}`;
  switch (keyword) {
    case 'required':
      return { pointer: below(String(params['missingProperty'])), expected: 'a value', got: 'nothing' };
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const name = String(params['additionalProperty'] ?? params['unevaluatedProperty']);
      const got = (value as Record<string, unknown> | undefined)?.[name];
      return { pointer: below(name), expected: 'no such field', got: shortened(got) };
    }
    case 'enum':
      return { pointer: instancePath, expected: `one of ${shortened(params['allowedValues'])}`, got: shortened(value) };
    case 'const':
      return { pointer: instancePath, expected: shortened(params['allowedValue']), got: shortened(value) };
    default:
      return { pointer: instancePath, expected: message.replace(/^must be /, ''), got: shortened(value) };
  }
}

function valueAt(body: unknown, pointer: string): unknown {
  const names = pointer.split('/').slice(1);
  return names.reduce<unknown>(
    (value, name) => (value as Record<string, unknown> | null)?.[name.replaceAll('~1', '/').replaceAll('~0', '~')],
    body,
  );
}

const shortened = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
};
