import { createRequire } from 'node:module';
import type { RequestHandler } from 'express';
import { deref } from '../contract/index.ts';

/**
 * The patches below rely on internals of this express-openapi-validator version, which is pinned. A test checks each.
 */
export const PATCHED_VERSION = '5.6.2';

export function patchValidator(): void {
  memoizePathPatterns();
  skipParsedParameters();
  skipContractCheck();
  skipFileReferences();
  resolveReferenceChains();
  compileRequestsOnly();
  limitValidationErrors();
  skipCostlyKeywords();
}

const requireFromValidator = (name: string): unknown =>
  createRequire(createRequire(import.meta.url).resolve('express-openapi-validator'))(name);

/**
 * Replaces the validator's security step by `admission`: at this step the operation is known, and its input is not
 * validated yet. Drops the step for path parameters, which does nothing here and costs some promises per request.
 */
export function replaceSecurityStep(steps: readonly RequestHandler[], admission: RequestHandler): RequestHandler[] {
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
 * For each request, the validator tries the paths in contract order and compiles each regular expression again. So the
 * last path of a contract is many times slower than the first. The patch caches the expressions.
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
 * The validator parses an object parameter of the query as JSON, even if brackets made it an object already. That fails
 * without an error, but costs as much as the whole validation. The patch parses only texts.
 */
export function skipParsedParameters(): void {
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

class NoopSchemaValidator {}

/**
 * The validator compiles the OpenAPI schema for each slice of the contract (a few of its paths), even if
 * `validateApiSpec` is false. The patch replaces this step by one that does nothing.
 */
function skipContractCheck(): void {
  (requireFromValidator('./framework/openapi.schema.validator') as SchemaValidator).OpenAPISchemaValidator =
    NoopSchemaValidator;
}

interface SpecificationLoader {
  OpenAPIFramework: { prototype: { loadSpec: (contract: unknown) => unknown } };
}

/**
 * The validator resolves all references of a slice to find those to other files. A slice has none, so the patch returns
 * it unchanged.
 */
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
 * The validator compiles each reference of a slice and uses only its schema. This takes a third of the start time. The
 * patch looks up the reference instead.
 */
export function resolveReferenceChains(): void {
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
 * The validator compiles all schemas of a slice to resolve references and discriminators. `resolveReferenceChains`
 * resolves the references, and the contract has no discriminators, so the patch skips this. Requests have another
 * compiler.
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

export const MAX_VALIDATION_ERRORS = 100;

type AjvErrorList = object[] & { more?: number };
interface ErrorTools {
  augmentAjvErrors: ((errors: AjvErrorList) => AjvErrorList) & { counting?: true };
  ajvErrorsToValidatorError: (status: number, errors: AjvErrorList) => { errors: AjvErrorList };
}

/**
 * The validator copies every error several times, so a body with one error per byte blocked the process. The patch
 * passes only the first `MAX_VALIDATION_ERRORS` to it.
 */
function limitValidationErrors(): void {
  const tools = requireFromValidator('./middlewares/util') as ErrorTools;
  const { augmentAjvErrors: augment, ajvErrorsToValidatorError: toError } = tools;
  if (augment.counting) return;
  const counting: ErrorTools['augmentAjvErrors'] = (errors) =>
    Object.assign(augment(errors.slice(0, MAX_VALIDATION_ERRORS)), {
      more: Math.max(0, errors.length - MAX_VALIDATION_ERRORS),
    });
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
interface AjvFactoryModule {
  createRequestAjv: ((...parameters: unknown[]) => Ajv) & { sparing?: true };
}

/** Keywords whose cost grows faster than the value, with the length above which they are skipped. */
const COSTLY: [module: string, most: (schema: KeywordContext['parentSchema']) => number][] = [
  // `maxLength` counts characters, and some of them are two UTF-16 units.
  ['validation/pattern', ({ maxLength = 1_000 }) => 2 * maxLength],
  ['format/format', ({ maxLength = 1_000 }) => 2 * maxLength],
  ['validation/uniqueItems', ({ maxItems = 1_000 }) => maxItems],
];

/**
 * With `allErrors`, a text that is too long is still matched with its pattern, and a list that is too long is still
 * searched for duplicates. With a body of 8 MiB this takes minutes. The replaced keywords skip both, because the length
 * error is enough.
 */
function skipCostlyKeywords(): void {
  const framework = requireFromValidator('./framework/ajv') as AjvFactoryModule;
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
  const sparing: AjvFactoryModule['createRequestAjv'] = (...parameters) => {
    const ajv = create(...parameters);
    for (const keyword of keywords) ajv.removeKeyword(keyword.keyword).addKeyword(keyword);
    return ajv;
  };
  sparing.sparing = true;
  framework.createRequestAjv = sparing;
}
