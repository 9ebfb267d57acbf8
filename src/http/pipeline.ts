import type { Request, Response } from 'express';
import type { Caller } from '../shared/caller.ts';
import { CodedInvalidError, InternalError, NotFoundError, UnauthenticatedError } from '../shared/errors.ts';
import type { Logger } from '../shared/logger.ts';
import type { AnswerStore } from '../shared/repeated-calls.ts';
import { baseOf, type Contract, type SiteReference } from '../contract/index.ts';
import { admit, demandsOf, foundIn, type Demands } from './demands.ts';
import {
  inWordsOf,
  refusalBody,
  refuseField,
  retryHeaders,
  toDomainError,
  type ErrorDialect,
  type FieldNames,
} from './errors.ts';
import { isKnown } from './etags.ts';
import { withFields } from './field-selection.ts';
import { carriesBody } from './front-door.ts';
import { once } from './idempotency.ts';
import { hangUpOf } from './hang-up.ts';
import { innerRequest, innerResponse } from './inner-request.ts';
import type { Answer, Dispatch } from './operation.ts';
import type { ModuleSwitch } from './ports.ts';
import { prepareAbility, prepareRoute, type Prepare } from './prepare.ts';
import { refuseUnusable } from './usable-values.ts';
import { validatorOf, type ResponseChecks, type ValidationHooks } from './validator.ts';

export interface Surface {
  contract: Contract;
  dialect: ErrorDialect;
  /** operationId → handler; total, which the type of the map has proved already. */
  handlers: Record<string, unknown>;
  /** operationId → what the operation calls fields of the domain. */
  fieldNames?: Record<string, FieldNames>;
  /** The site that goes by a reference; throws where there is none, or more than one. */
  siteOf?: (reference: SiteRef) => Promise<unknown>;
}

/** ID, domain or URL. */
type SiteRef = number | string;

export interface PipelineOptions {
  modules: ModuleSwitch;
  answers: AnswerStore;
  logger: Logger;
  responses: ResponseChecks;
}

type Fields = Record<string, unknown>;
type AnyAbility = (input: Fields, context: unknown) => Promise<unknown>;
type AnyRoute = (request: unknown) => Promise<Answer>;
/** Hears of an answer that was refused while it was sent. */
type Late = (error: unknown) => void;

const NO_SITE = {};

/**
 * The way of a call through a surface: prepare, find, check rights, validate, run once, and cut the answer to what was
 * asked for. There is no route per operation; the validator finds the operation and the map finds the handler, so that
 * the two cannot disagree. What is refused is thrown.
 */
export class Pipeline {
  readonly #base: string;
  readonly #surface: Surface;
  readonly #options: PipelineOptions;
  readonly #demands: ReadonlyMap<string, Demands>;
  readonly #prepare: Prepare;
  readonly #validate: (request: Request, response: Response, late: Late) => Promise<void>;
  readonly warmUp: () => Promise<void>;

  constructor(surface: Surface, options: PipelineOptions) {
    const { contract, dialect, handlers } = surface;
    this.#base = baseOf(contract);
    this.#surface = surface;
    this.#options = options;
    this.#demands = demandsOf(contract);
    for (const { id } of this.#demands.values())
      if (typeof handlers[id] !== 'function') throw new Error(`The operation ${id} has no handler.`);
    this.#prepare = dialect.ability ? prepareAbility(contract) : prepareRoute(contract);
    const hooks: ValidationHooks = {
      admit: (request, response) => this.#admit(request, response),
      onBadResponse: (error, operation) =>
        options.logger.error({ err: error, operation }, 'an answer breaks the contract'),
    };
    const { validate, warmUp } = validatorOf(contract, options.responses);
    this.#validate = (request, response, late) =>
      new Promise((resolve, reject) => {
        let over = false;
        const next = (error?: unknown): void => {
          // The validator comes back through the same door when it refuses an answer of ours.
          if (over) late(error);
          else if (error) reject(error instanceof Error ? error : new Error('The validator failed.', { cause: error }));
          else resolve();
          over = true;
        };
        validate(request, response, next, hooks);
      });
    this.warmUp = warmUp;
  }

  async run(request: Request, response: Response, late: Late): Promise<Answer> {
    const query = request.url.indexOf('?');
    this.#prepare(request, request.url.slice(this.#base.length, query < 0 ? undefined : query));
    try {
      await this.#validate(request, response, late);
      const demands = demandsIn(response);
      this.#refuseUnusable(request, demands);
      const answer = await this.#answer(request, response, demands);
      this.#audit(request, response, answer.status);
      return answer;
    } catch (error) {
      this.#audit(request, response, toDomainError(error, this.#surface.dialect).status);
      throw error;
    }
  }

  #refuseUnusable(request: Request, demands: Demands): void {
    const { dialect } = this.#surface;
    refuseUnusable('params', foundIn(request)?.pathParams, dialect);
    refuseUnusable('query', request.query, dialect);
    if (!demands.batch) refuseUnusable('body', request.body, dialect);
  }

  /** Called as soon as the operation is known, before its input is looked at. */
  async #admit(request: Request, response: Response): Promise<void> {
    const demands = this.#demands.get(foundIn(request)?.schema?.operationId ?? '');
    if (!demands) throw new NotFoundError('rest_no_route', 'No such route.');
    const caller = callerIn(response);
    response.locals.demands = demands;
    response.locals.operationId = demands.id;
    await admit(demands, caller, this.#options.modules);
    if (!demands.takesBody && carriesBody(request)) refuseField(this.#surface.dialect, 'body', 'is not taken here');
    demands.spellBody?.(request.body);
  }

  async #answer(request: Request, response: Response, demands: Demands): Promise<Answer> {
    const caller = callerIn(response);
    const fields = demands.selection?.read(request.query, this.#surface.dialect.invalidInput) ?? null;
    const answer = await once(
      this.#options.answers,
      request,
      caller,
      demands.repetition,
      () => this.#handled(request, response, demands, caller),
      (error) => this.#refusal(error),
    );
    const { etag } = answer;
    const tagged = etag === undefined ? answer : { ...answer, headers: { ...answer.headers, ETag: etag } };
    if (etag !== undefined && request.method === 'GET' && isKnown(request.get('if-none-match'), etag))
      return { status: 304, headers: tagged.headers ?? {} };
    return fields ? { ...tagged, body: withFields(tagged.body, fields) } : tagged;
  }

  /** Whoever handles the call says what is wrong with a field in words of the domain. */
  async #handled(request: Request, response: Response, demands: Demands, caller: Caller): Promise<Answer> {
    const { dialect, fieldNames } = this.#surface;
    try {
      return await this.#handle(request, response, demands, caller);
    } catch (error) {
      throw inWordsOf(dialect, { place: demands.fieldsIn, names: fieldNames?.[demands.id] ?? {} }, error);
    }
  }

  async #handle(request: Request, response: Response, demands: Demands, caller: Caller): Promise<Answer> {
    const { requestId } = response.locals;
    const handler = this.#surface.handlers[demands.id];
    if (demands.ability) {
      const { input } = (request.method === 'POST' ? request.body : request.query) as { input: Fields };
      if (demands.confirmed) requireConfirmation(input);
      const about = demands.site === null ? NO_SITE : await this.#siteIn(input, demands.site);
      return { status: 200, body: await (handler as AnyAbility)(input, { caller, requestId, ...about }) };
    }
    const { pathParams: path = {} } = foundIn(request) ?? {};
    const about = demands.site === null ? NO_SITE : await this.#siteIn(path, demands.site);
    const { query, body } = request as { query: unknown; body: unknown };
    const ifMatch = request.get('if-match');
    const dispatch = this.dispatchFor(request, response);
    const hungUp = (): AbortSignal => hangUpOf(response);
    return (handler as AnyRoute)({ path, query, body, caller, requestId, ifMatch, dispatch, hungUp, ...about });
  }

  /** The site that a call is about; null where its caller named none. */
  async #siteIn(fields: Fields, { name, noSuchSite }: SiteReference): Promise<{ site?: unknown }> {
    const { siteOf } = this.#surface;
    if (!siteOf) return NO_SITE;
    const reference = fields[name] as SiteRef | undefined;
    try {
      return { site: reference === undefined ? null : await siteOf(reference) };
    } catch (error) {
      if (!noSuchSite || !(error instanceof NotFoundError)) throw error;
      throw new NotFoundError(noSuchSite.code, noSuchSite.message);
    }
  }

  /** Runs further calls in the name of the one that has come. */
  dispatchFor(request: Request, response: Response): Dispatch {
    return async (call) => {
      try {
        const { status, body } = await this.run(
          innerRequest(request, this.#base, call),
          innerResponse(response),
          doNothing,
        );
        return { status, body };
      } catch (error) {
        const refusal = toDomainError(error, this.#surface.dialect);
        // The batch it belongs to goes well, so nobody else would see a fault of ours.
        if (refusal instanceof InternalError)
          this.#options.logger.error({ err: refusal.cause ?? refusal }, 'call failed');
        return { status: refusal.status, body: refusalBody(refusal) };
      }
    };
  }

  #refusal(error: unknown): Answer {
    const refusal = toDomainError(error, this.#surface.dialect);
    return { status: refusal.status, headers: retryHeaders(refusal), body: refusalBody(refusal) };
  }

  #audit(request: Request, response: Response, status: number): void {
    const { caller, demands, requestId } = response.locals;
    if (!demands?.audit || !caller) return;
    this.#options.logger.info(
      {
        audit: true,
        operation: demands.id,
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

function callerIn(response: Response): Caller {
  const { caller } = response.locals;
  if (!caller) throw new UnauthenticatedError('svc_unauthenticated', 'The credential is missing or not valid.');
  return caller;
}

function demandsIn({ locals }: Response): Demands {
  if (!locals.demands) throw new NotFoundError('rest_no_route', 'No such route.');
  return locals.demands;
}

/** What destroys something is asked for twice, unless it is only previewed. */
function requireConfirmation({ confirm, dry_run: preview }: Fields): void {
  if (confirm === true || preview === true) return;
  const errors = [{ path: 'confirm', message: 'must be true' }];
  throw new CodedInvalidError('svc_confirmation_required', 'confirm must be true.', { errors });
}

/** What is answered inside another call is not sent by itself. */
const doNothing: Late = () => undefined;
