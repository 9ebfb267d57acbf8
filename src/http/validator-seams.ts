import { createRequire } from 'node:module';
import type { RequestHandler } from 'express';
import { deref } from '../contract/index.ts';

/**
 * Every place where we reach into express-openapi-validator, written against this version, which is pinned; a test
 * holds each of them.
 */
export const PATCHED_VERSION = '5.6.2';

export function patchValidator(): void {
  memoizePathPatterns();
  parseOnlyStrings();
  skipContractCheck();
  skipFileReferences();
  followReferences();
  compileRequestsOnly();
  limitErrors();
  skipCostlyKeywords();
}

/** A module as the validator itself meets it. */
const requireFromValidator = (name: string): unknown =>
  createRequire(createRequire(import.meta.url).resolve('express-openapi-validator'))(name);

/**
 * The steps of the validator for a request, with admission where it would check credentials: when the operation is
 * known, and its input is not looked at yet. The step for parameters of the path does nothing for us, and costs some
 * promises a request.
 */
export function withAuthorization(steps: readonly RequestHandler[], admission: RequestHandler): RequestHandler[] {
  const named = (name: string): boolean => steps.some((step) => step.name === name);
  if (!named('securityMiddleware') || !named('pathParamsMiddleware'))
    throw new Error(`The validator has other steps than its version ${PATCHED_VERSION}.`);
  return steps
    .filter(({ name }) => name !== 'pathParamsMiddleware')
    .map((step) => (step.name === 'securityMiddleware' ? admission : step));
}

interface PathToRegexp {
  pathToRegexp: ((path: string, options?: { sensitive?: boolean; strict?: boolean }) => unknown) & { memoized?: true };
}

/**
 * On every request the validator walks the paths in the order of the contract and builds the regular expression of each
 * anew until one matches, so that the last path of a contract is many times slower than its first. Kept expressions end
 * that. A test holds this seam.
 */
export function memoizePathPatterns(): void {
  const library = requireFromValidator('path-to-regexp') as PathToRegexp;
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
 * An object in the query is tried as JSON by the validator, even when brackets have made it an object already; what is
 * thrown then, and swallowed, costs as much as the whole check. Held by a test, as above.
 */
export function parseOnlyStrings(): void {
  const { RequestParameterMutator: mutator } = requireFromValidator('./middlewares/parsers/req.parameter.mutator') as {
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
class NoopSchemaValidator {}

/** The validator compiles the schema of OpenAPI for each slice anew, even when it is told not to check the contract. */
function skipContractCheck(): void {
  (requireFromValidator('./framework/openapi.schema.validator') as SchemaValidator).OpenAPISchemaValidator =
    NoopSchemaValidator;
}

interface SpecificationLoader {
  OpenAPIFramework: { prototype: { loadSpec: (contract: unknown) => unknown } };
}

/** The validator has all references of a slice followed to see which of them lead to other files; none does. */
function skipFileReferences(): void {
  (requireFromValidator('./framework') as SpecificationLoader).OpenAPIFramework.prototype.loadSpec = (contract) =>
    contract;
}

interface Preprocessor {
  prototype: {
    resolveSchema: ((this: { apiDoc: object }, node: { $ref?: string } | undefined) => object | null) & {
      following?: true;
    };
  };
}

/**
 * The validator has each reference of a slice compiled, of which it takes the schema and leaves the rest: a third of
 * what a start of the service costs. Where the reference leads is where it is looked up.
 */
export function followReferences(): void {
  const { SchemaPreprocessor: preprocessor } = requireFromValidator('./middlewares/parsers/schema.preprocessor') as {
    SchemaPreprocessor: Preprocessor;
  };
  if (preprocessor.prototype.resolveSchema.following) return;
  const following: Preprocessor['prototype']['resolveSchema'] = function (node) {
    return node ? deref(this.apiDoc, node) : null;
  };
  following.following = true;
  preprocessor.prototype.resolveSchema = following;
}

/**
 * Before a slice is used the validator makes a compiler of all its schemas, which it needs for references, looked up
 * above, and for discriminators, of which the contract has none. The compiler of its requests is another one.
 */
function compileRequestsOnly(): void {
  const parsers = requireFromValidator('./middlewares/parsers/schema.preprocessor') as {
    SchemaPreprocessor: Preprocessor;
  };
  const { prototype } = parsers.SchemaPreprocessor;
  parsers.SchemaPreprocessor = Object.assign(
    function (this: object, contract: object, { serDesMap }: { serDesMap?: object }, responses: unknown): void {
      Object.assign(this, { apiDoc: contract, serDesMap, responseOpts: responses });
    },
    { prototype },
  );
}

/** Findings of one request that are told; of the rest, how many they are. */
export const MAX_ERRORS = 100;

/** Findings as the library passes them on: a list that knows how many were left out of it. */
type Findings = object[] & { more?: number };
interface ErrorTools {
  augmentAjvErrors: ((errors: Findings) => Findings) & { counting?: true };
  ajvErrorsToValidatorError: (status: number, errors: Findings) => { errors: Findings };
}

/**
 * The library makes objects and texts of every finding, several times over; a body of one mistake a byte made it stall.
 */
function limitErrors(): void {
  const tools = requireFromValidator('./middlewares/util') as ErrorTools;
  const { augmentAjvErrors: augment, ajvErrorsToValidatorError: toError } = tools;
  if (augment.counting) return;
  const counting: ErrorTools['augmentAjvErrors'] = (errors) =>
    Object.assign(augment(errors.slice(0, MAX_ERRORS)), { more: Math.max(0, errors.length - MAX_ERRORS) });
  counting.counting = true;
  tools.augmentAjvErrors = counting;
  tools.ajvErrorsToValidatorError = (status, errors) => {
    const error = toError(status, errors);
    return { ...error, errors: Object.assign(error.errors, { more: errors.more ?? 0 }) };
  };
}

interface KeywordContext {
  gen: { if: (condition: unknown, then: () => void) => void };
  data: unknown;
  parentSchema: { maxLength?: number; maxItems?: number };
}
interface Keyword {
  keyword: string;
  code: (context: KeywordContext, ruleType?: string) => void;
}
interface Ajv {
  removeKeyword: (keyword: string) => Ajv;
  addKeyword: (definition: Keyword) => Ajv;
}
interface Framework {
  createRequestAjv: ((...parameters: unknown[]) => Ajv) & { sparing?: true };
}

/** Keywords whose cost grows faster than what they look at, and the size from which on they need not look. */
const COSTLY: [module: string, most: (schema: KeywordContext['parentSchema']) => number][] = [
  // Lengths count characters, of which some are two units.
  ['validation/pattern', ({ maxLength = 1_000 }) => 2 * maxLength],
  ['format/format', ({ maxLength = 1_000 }) => 2 * maxLength],
  ['validation/uniqueItems', ({ maxItems = 1_000 }) => maxItems],
];

/**
 * All findings are wanted, so that a text that is too long is matched with its pattern all the same, and a list that is
 * too long is searched for doubles, which takes minutes with the largest body there may be. What is refused for its
 * size is left at that.
 */
function skipCostlyKeywords(): void {
  const framework = requireFromValidator('./framework/ajv') as Framework;
  const create = framework.createRequestAjv;
  if (create.sparing) return;
  const { _ } = requireFromValidator('ajv/dist/compile/codegen') as {
    _: (parts: TemplateStringsArray, ...values: unknown[]) => unknown;
  };
  const keywords = COSTLY.map(([module, most]): Keyword => {
    const { default: original } = requireFromValidator(`ajv/dist/vocabularies/${module}`) as { default: Keyword };
    const code: Keyword['code'] = (context, ruleType) =>
      context.gen.if(
        _`typeof ${context.data} === "number" || ${context.data}.length <= ${most(context.parentSchema)}`,
        () => original.code(context, ruleType),
      );
    return { ...original, code };
  });
  const sparing: Framework['createRequestAjv'] = (...parameters) => {
    const ajv = create(...parameters);
    for (const keyword of keywords) ajv.removeKeyword(keyword.keyword).addKeyword(keyword);
    return ajv;
  };
  sparing.sparing = true;
  framework.createRequestAjv = sparing;
}
