import { createRequire } from 'node:module';

/**
 * Every place where we reach into express-openapi-validator, written against this version, which is pinned; a test holds each
 * of them.
 */
export const PATCHED_VERSION = '5.6.2';

export function patchValidator(): void {
  memoizePathPatterns();
  parseTextsOnly();
  leaveContractUnchecked();
}

/** A module as the validator itself meets it. */
const ofValidator = (name: string): unknown =>
  createRequire(createRequire(import.meta.url).resolve('express-openapi-validator'))(name);

interface PathToRegexp {
  pathToRegexp: ((path: string, options?: { sensitive?: boolean; strict?: boolean }) => unknown) & { memoized?: true };
}

/**
 * On every request the validator walks the paths in the order of the contract and builds the regular expression of each anew
 * until one matches, so that the last path of a contract is many times slower than its first. Kept expressions end that.
 * The version is pinned, and a test holds this seam.
 */
export function memoizePathPatterns(): void {
  const library = ofValidator('path-to-regexp') as PathToRegexp;
  const build = library.pathToRegexp;
  if (build.memoized) return;
  const kept = new Map<string, unknown>();
  const memoized: PathToRegexp['pathToRegexp'] = (path, options) => {
    const key = `${options?.sensitive ? 's' : ''}${options?.strict ? 't' : ''} ${path}`;
    let pattern = kept.get(key);
    if (!pattern) kept.set(key, (pattern = build(path, options)));
    return pattern;
  };
  memoized.memoized = true;
  library.pathToRegexp = memoized;
}

interface ParameterMutator {
  prototype: {
    parseJsonAndMutateRequest: ((request: { query: object }, place: string, name: string) => void) & {
      textsOnly?: true;
    };
  };
}

/**
 * An object in the query is tried as JSON by the validator, even when brackets have made it an object already; what is thrown
 * then, and swallowed, costs as much as the whole check. Pinned and held by a test, as above.
 */
export function parseTextsOnly(): void {
  const { RequestParameterMutator: mutator } = ofValidator('./middlewares/parsers/req.parameter.mutator') as {
    RequestParameterMutator: ParameterMutator;
  };
  const { prototype } = mutator;
  const parse = prototype.parseJsonAndMutateRequest;
  if (parse.textsOnly) return;
  const textsOnly: typeof parse = function (this: unknown, request, place, name) {
    if (place === 'query' && typeof (request.query as Record<string, unknown>)[name] === 'object') return;
    parse.call(this, request, place, name);
  };
  textsOnly.textsOnly = true;
  prototype.parseJsonAndMutateRequest = textsOnly;
}

interface SchemaValidator {
  OpenAPISchemaValidator: new () => unknown;
}

/** Holds the place of what would check a contract against OpenAPI itself; lint has done so. */
class Unchecked {}

/** The validator compiles the schema of OpenAPI for each slice anew, even when it is told not to check the contract. */
export function leaveContractUnchecked(): void {
  (ofValidator('./framework/openapi.schema.validator') as SchemaValidator).OpenAPISchemaValidator = Unchecked;
}
