import { type SiteScope } from '../shared/site-scope.ts';
import { isDeepStrictEqual } from 'node:util';
import type { Request, Response } from 'express';
import type { Caller } from '../shared/caller.ts';
import { CodedInvalidError, InternalError, NotFoundError, UnauthenticatedError } from '../shared/errors.ts';
import type { Logger } from '../shared/logger.ts';
import type { IdempotencyStore } from '../shared/idempotency-store.ts';
import { basePathOf, type Contract } from '../contract/index.ts';
import { authorize, operationPoliciesOf, matchedOperationOf, type OperationPolicy } from './operation-policy.ts';
import {
  renameErrorFields,
  errorBody,
  throwFieldError,
  retryHeaders,
  toDomainError,
  type ErrorDialect,
  type FieldNames,
} from './errors.ts';
import { isNotModified } from './etags.ts';
import { selectFields } from './field-selection.ts';
import { inconsistencyOf } from './response-consistency.ts';
import { carriesBody } from './request-middleware.ts';
import { runIdempotent } from './idempotency.ts';
import { rejectPrototypePropertyNames } from './prototype-property-names.ts';
import { disconnectSignal } from './client-disconnect.ts';
import { innerRequest, innerResponse } from './inner-request.ts';
import type { HandlerResponse, Dispatch } from './operation-types.ts';
import type { ModuleStatus } from './ports.ts';
import { rateLimitStateOf } from './rate-limit.ts';
import { prepareAbility, prepareRoute, type PrepareRequest } from './prepare-request.ts';
import { rejectUnstorableValues } from './storable-values.ts';
import { sharedValidatorOf, type ResponseChecks, type ValidationHooks } from './validator.ts';

export interface Surface {
  contract: Contract;
  dialect: ErrorDialect;
  handlers: Record<string, unknown>;
  fieldNames?: Record<string, FieldNames>;
  /**
   * Returns a text that is equal for scopes with the same sites. If a limited caller repeats a request with an
   * idempotency key, the text must be the same.
   */
  scopeKey?: (scope: SiteScope) => Promise<string>;
  /** Finds a site within the scope of the caller. Throws `svc_site_not_found` or `svc_ambiguous_site`. */
  resolveSite?: (scope: SiteScope, reference: SiteRef, operationId: string) => Promise<unknown>;
}

type SiteRef = number | string;

/** Counts the calls of operations. Runs no SQL statement. */
export interface UsageCounter {
  record(caller: Caller, operation: string, status: number): void;
}

export interface PipelineOptions {
  usage: UsageCounter;
  modules: ModuleStatus;
  answers: IdempotencyStore;
  logger: Logger;
  responses: ResponseChecks;
}

type CallInputFields = Record<string, unknown>;
type UntypedAbilityHandler = (input: CallInputFields, context: unknown) => Promise<unknown>;
type UntypedRouteHandler = (request: unknown) => Promise<HandlerResponse>;
/** Receives a response validation error that occurs after the handler has returned. */
type LateErrorListener = (error: unknown) => void;

const NO_SITE = {};

/**
 * Runs a call: prepares it, finds the operation, authorizes, validates, runs the handler once and selects the fields of
 * the response. Errors are thrown. There are no Express routes: the validator finds the operation and its ID selects
 * the handler, so the two cannot disagree.
 */
export class Pipeline {
  readonly #base: string;
  readonly #surface: Surface;
  readonly #options: PipelineOptions;
  readonly #policies: ReadonlyMap<string, OperationPolicy>;
  readonly #prepare: PrepareRequest;
  readonly #validate: (request: Request, response: Response, late: LateErrorListener) => Promise<void>;
  readonly warmUp: () => Promise<void>;

  constructor(surface: Surface, options: PipelineOptions) {
    const { contract, dialect, handlers } = surface;
    this.#base = basePathOf(contract);
    this.#surface = surface;
    this.#options = options;
    this.#policies = operationPoliciesOf(contract);
    for (const { id } of this.#policies.values())
      if (typeof handlers[id] !== 'function') throw new Error(`The operation ${id} has no handler.`);
    this.#prepare = dialect.ability ? prepareAbility(contract) : prepareRoute(contract);
    const hooks: ValidationHooks = {
      authorize: (request, response) => this.#authorize(request, response),
      onBadResponse: (error, operation) =>
        options.logger.error({ err: error, operation }, 'a response violates the contract'),
    };
    const { validate, warmUp } = sharedValidatorOf(contract, options.responses);
    this.#validate = (request, response, late) =>
      new Promise((resolve, reject) => {
        let over = false;
        validate(
          request,
          response,
          (error?: unknown) => {
            // The validator calls this a second time when it refuses a response.
            if (over) late(error);
            else if (error)
              reject(error instanceof Error ? error : new Error('The validator failed.', { cause: error }));
            else resolve();
            over = true;
          },
          hooks,
        );
      });
    this.warmUp = warmUp;
  }

  async run(request: Request, response: Response, late: LateErrorListener): Promise<HandlerResponse> {
    try {
      const policy = await this.#admit(request, response, late);
      const answer = await this.#respond(request, response, policy);
      if (this.#options.responses !== 'off') this.#requireConsistency(policy.id, answer);
      this.#record(request, response, answer.status);
      return answer;
    } catch (error) {
      this.#recordError(request, response, error);
      throw error;
    }
  }

  /** Logs or refuses a response that the validator accepts although it contradicts itself. */
  #requireConsistency(operation: string, answer: HandlerResponse): void {
    const problem = inconsistencyOf(this.#surface.contract, operation, answer);
    if (problem === null) return;
    const error = new InternalError('svc_internal_error', `The response of ${operation} is wrong: ${problem}.`);
    if (this.#options.responses === 'refuse') throw error;
    this.#options.logger.error({ err: error, operation }, 'a response violates the contract');
  }

  async #check(request: Request, response: Response): Promise<void> {
    try {
      const policy = await this.#admit(request, response, ignoreLateErrors);
      await this.#siteOf(request, policy, callerIn(response));
    } catch (error) {
      this.#recordError(request, response, error);
      throw error;
    }
  }

  async #admit(request: Request, response: Response, late: LateErrorListener): Promise<OperationPolicy> {
    const query = request.url.indexOf('?');
    const search = request.url.slice(query + 1);
    this.#prepare(request, request.url.slice(this.#base.length, query < 0 ? undefined : query));
    await this.#validate(request, response, late);
    const policy = policyIn(response);
    if (query >= 0) rejectPrototypePropertyNames(search, this.#surface.dialect);
    this.#rejectUnstorableValues(request, policy);
    return policy;
  }

  #rejectUnstorableValues(request: Request, policy: OperationPolicy): void {
    const { dialect } = this.#surface;
    rejectUnstorableValues('params', matchedOperationOf(request)?.pathParams, dialect);
    rejectUnstorableValues('query', request.query, dialect);
    if (!policy.isBatch) rejectUnstorableValues('body', request.body, dialect);
  }

  async #authorize(request: Request, response: Response): Promise<void> {
    const policy = this.#policies.get(matchedOperationOf(request)?.schema?.operationId ?? '');
    const { expectedOperation } = response.locals;
    if (!policy || (expectedOperation !== undefined && policy.id !== expectedOperation))
      throw new NotFoundError('rest_no_route', 'There is no such route.');
    const caller = callerIn(response);
    response.locals.policy = policy;
    response.locals.operationId = policy.id;
    await authorize(policy, caller, this.#options.modules);
    // Many clients send `{}` with every POST.
    if (!policy.hasBody && carriesBody(request) && !isDeepStrictEqual(request.body, {}))
      throwFieldError(this.#surface.dialect, 'body', 'must be empty for this operation');
    policy.normalizeBody?.(request.body);
  }

  async #respond(request: Request, response: Response, policy: OperationPolicy): Promise<HandlerResponse> {
    const caller = callerIn(response);
    const fields = policy.selection?.read(request.query, this.#surface.dialect.invalidInput) ?? null;
    const answer = await runIdempotent(
      this.#options.answers,
      request,
      caller,
      policy.idempotency,
      () => this.#handleWithFieldNames(request, response, policy, caller),
      () => this.#surface.scopeKey?.(caller.sites) ?? Promise.resolve(caller.sites.key),
      (error) => this.#errorResponse(error),
    );
    const { etag } = answer;
    const tagged = etag === undefined ? answer : { ...answer, headers: { ...answer.headers, ETag: etag } };
    if (etag !== undefined && request.method === 'GET' && isNotModified(request.get('if-none-match'), etag))
      return { status: 304, headers: tagged.headers ?? {} };
    return fields ? { ...tagged, body: selectFields(tagged.body, fields) } : tagged;
  }

  async #handleWithFieldNames(
    request: Request,
    response: Response,
    policy: OperationPolicy,
    caller: Caller,
  ): Promise<HandlerResponse> {
    const { dialect, fieldNames } = this.#surface;
    try {
      return await this.#handle(request, response, policy, caller);
    } catch (error) {
      throw renameErrorFields(dialect, { place: policy.inputLocation, names: fieldNames?.[policy.id] ?? {} }, error);
    }
  }

  async #handle(
    request: Request,
    response: Response,
    policy: OperationPolicy,
    caller: Caller,
  ): Promise<HandlerResponse> {
    const { requestId } = response.locals;
    const handler = this.#surface.handlers[policy.id];
    if (policy.isAbility) {
      const input = abilityInputIn(request);
      if (policy.needsConfirmation) requireConfirmation(input);
      const about = await this.#siteOf(request, policy, caller);
      return { status: 200, body: await (handler as UntypedAbilityHandler)(input, { caller, requestId, ...about }) };
    }
    const path = pathParametersIn(request);
    const about = await this.#siteOf(request, policy, caller);
    const { query, body } = request as { query: unknown; body: unknown };
    const ifMatch = request.get('if-match');
    const dispatch = this.dispatchFor(request, response);
    const signal = (): AbortSignal => disconnectSignal(response);
    return (handler as UntypedRouteHandler)({
      path,
      query,
      body,
      caller,
      requestId,
      ifMatch,
      rateLimit: rateLimitStateOf(request),
      dispatch,
      disconnectSignal: signal,
      ...about,
    });
  }

  async #siteOf(
    request: Request,
    { id, site, isAbility }: OperationPolicy,
    caller: Caller,
  ): Promise<{ site?: unknown }> {
    const { resolveSite } = this.#surface;
    if (site === null || !resolveSite) return NO_SITE;
    const { name, noSuchSite } = site;
    const fields: CallInputFields = isAbility ? abilityInputIn(request) : pathParametersIn(request);
    const reference = fields[name] as SiteRef | undefined;
    try {
      return { site: reference === undefined ? null : await resolveSite(caller.sites, reference, id) };
    } catch (error) {
      if (!noSuchSite || !(error instanceof NotFoundError)) throw error;
      throw new NotFoundError(noSuchSite.code, noSuchSite.message);
    }
  }

  dispatchFor(request: Request, response: Response): Dispatch {
    return async (call) => {
      const inner = innerRequest(request, this.#base, call);
      const answer = innerResponse(response, call);
      try {
        if (!call.checkOnly) return await this.run(inner, answer, ignoreLateErrors);
        await this.#check(inner, answer);
        return { status: 200 };
      } catch (error) {
        const refusal = toDomainError(error, this.#surface.dialect);
        // The batch itself succeeds, so only the log shows this error.
        if (refusal instanceof InternalError)
          this.#options.logger.error({ err: refusal.cause ?? refusal }, 'call failed');
        return { status: refusal.status, body: errorBody(refusal) };
      }
    };
  }

  #errorResponse(error: unknown): HandlerResponse {
    const refusal = toDomainError(error, this.#surface.dialect);
    return { status: refusal.status, headers: retryHeaders(refusal), body: errorBody(refusal) };
  }

  #recordError(request: Request, response: Response, error: unknown): void {
    this.#record(request, response, toDomainError(error, this.#surface.dialect).status);
  }

  #record(request: Request, response: Response, status: number): void {
    const { caller, policy, requestId, isUncounted } = response.locals;
    if (!policy || !caller) return;
    if (!isUncounted) this.#options.usage.record(caller, policy.id, status);
    if (!policy.isAudited) return;
    this.#options.logger.info(
      {
        audit: true,
        operation: policy.id,
        user: caller.name,
        credential: caller.credential,
        address: request.ip,
        status,
        request_id: requestId,
      },
      'audited call',
    );
  }
}

const abilityInputIn = ({ method, body, query }: Request): CallInputFields =>
  ((method === 'POST' ? body : query) as { input: CallInputFields }).input;

const pathParametersIn = (request: Request): CallInputFields => matchedOperationOf(request)?.pathParams ?? {};

function callerIn(response: Response): Caller {
  const { caller } = response.locals;
  if (!caller) throw new UnauthenticatedError('svc_unauthenticated', 'The credential is missing or not valid.');
  return caller;
}

function policyIn({ locals }: Response): OperationPolicy {
  if (!locals.policy) throw new NotFoundError('rest_no_route', 'There is no such route.');
  return locals.policy;
}

function requireConfirmation({ confirm, dry_run: preview }: CallInputFields): void {
  if (confirm === true || preview === true) return;
  const errors = [{ path: 'confirm', message: 'must be true' }];
  throw new CodedInvalidError('svc_confirmation_required', 'confirm must be true.', { errors });
}

const ignoreLateErrors: LateErrorListener = () => undefined;
