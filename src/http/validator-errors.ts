import { unescapePointerKey } from '../contract/index.ts';
import type { FieldError } from '../shared/errors.ts';
import { patternError } from '../shared/pattern-errors.ts';

export interface ValidatorError {
  message?: string;
  path?: string;
  errors?: { path?: string; message?: string }[] & { more?: number };
}

export interface LimitedFieldErrors {
  errors: FieldError[];
  more: number;
}

/** Maximum length of a path in characters. Callers choose the names in a path, and every error repeats it. */
const LONGEST_PATH = 200;

/**
 * Converts validation errors to `{path, message}`. For abilities, the prefix `body` or `query` is cut, because the body
 * or query of an ability contains only `input`.
 */
export function readValidatorErrors(error: ValidatorError, ability: boolean): LimitedFieldErrors {
  if (/^malformed uri/i.test(error.message ?? ''))
    return { errors: [{ path: 'path', message: 'is not valid percent-encoding' }], more: 0 };
  const findings = error.errors?.length
    ? error.errors
    : [{ path: error.path ?? '', message: error.message ?? 'is not valid' }];
  const fields = new Map<string, FieldError>();
  for (const { path = '', message: original = 'is not valid' } of findings) {
    const pattern = PATTERN_MISMATCH.exec(original)?.[1];
    const message = pattern === undefined ? original : patternError(pattern);
    const dotted = path
      .slice(0, LONGEST_PATH)
      .replace(/^[./]+/, '')
      .replace(/^(body|query|params|headers)\//, ability ? '' : '$1/')
      .split('/')
      .map(unescapePointerKey)
      .join('.');
    fields.set(`${dotted} ${message}`, { path: dotted, message });
  }
  return { errors: mergeVariantErrors([...fields.values()]), more: error.errors?.more ?? 0 };
}

const PATTERN_MISMATCH = /^must match pattern "(.*)"$/s;
const NO_VARIANT = 'must match a schema in anyOf';
const WRONG_TYPE = /^must be (null|string|integer|number|boolean|array|object)$/;

/**
 * Removes the errors of variants that do not apply. For a value that matches no variant, the validator reports the
 * errors of every variant, but only those of the variant that has the type of the value are useful. If no variant has
 * that type, one error names all types.
 */
function mergeVariantErrors(all: FieldError[]): FieldError[] {
  const paths = new Set(all.flatMap(({ path, message }) => (message === NO_VARIANT ? [path] : [])));
  return all.flatMap((error) => {
    const { path, message } = error;
    if (!paths.has(path)) return [error];
    const messages = all.filter((other) => other.path === path && other.message !== NO_VARIANT);
    if (messages.length === 0) return [error];
    if (message === NO_VARIANT) return [];
    const types = messages.flatMap((other) => WRONG_TYPE.exec(other.message)?.[1] ?? []);
    const isOfOtherType = WRONG_TYPE.test(message);
    if (types.length < messages.length) return isOfOtherType ? [] : [error];
    const named = types.filter((type) => type !== 'null' || types.length === 1);
    return message === `must be ${named[0]}` ? [{ path, message: `must be ${named.join(' or ')}` }] : [];
  });
}
