import { unescaped } from '../contract/index.ts';
import type { FieldError } from '../shared/errors.ts';

/** What the validator throws. */
export interface ValidatorError {
  message?: string;
  path?: string;
  /** A list that knows how many findings were left out of it. */
  errors?: { path?: string; message?: string }[] & { more?: number };
}

export interface FieldErrors {
  errors: FieldError[];
  /** How many there are beside these. */
  more: number;
}

/** A name that is longer is cut: the caller chose it, and it is told in each finding. */
const LONGEST_PATH = 200;

/**
 * The validator's findings as `{path, message}`; the body and query of an ability hold only `input`, so their name is
 * cut.
 */
export function fieldErrors(error: ValidatorError, ability: boolean): FieldErrors {
  if (/^malformed uri/i.test(error.message ?? ''))
    return { errors: [{ path: 'path', message: 'is not valid percent-encoding' }], more: 0 };
  const findings = error.errors?.length
    ? error.errors
    : [{ path: error.path ?? '', message: error.message ?? 'is not valid' }];
  const fields = new Map<string, FieldError>();
  for (const { path = '', message = 'is not valid' } of findings) {
    const dotted = path
      .slice(0, LONGEST_PATH)
      .replace(/^[./]+/, '')
      .replace(/^(body|query|params|headers)\//, ability ? '' : '$1/')
      .split('/')
      .map(unescaped)
      .join('.');
    fields.set(`${dotted} ${message}`, { path: dotted, message });
  }
  return { errors: withoutNull([...fields.values()]), more: error.errors?.more ?? 0 };
}

const OR_NULL = ['must be null', 'must match a schema in anyOf'];

/** What is something or null is told of as the something: that null would do as well helps nobody. */
function withoutNull(all: FieldError[]): FieldError[] {
  const isSaid = ({ path, message }: FieldError): boolean => {
    if (!OR_NULL.includes(message)) return true;
    const messages = all.filter((other) => other.path === path).map((other) => other.message);
    const isOrNull = OR_NULL.every((each) => messages.includes(each)) && messages.length > OR_NULL.length;
    return !isOrNull;
  };
  return all.filter(isSaid);
}
