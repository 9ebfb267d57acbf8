import { setImmediate } from 'node:timers/promises';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { NotFoundError } from '../shared/errors.ts';
import { withUncheckedItems } from './batch-item-schemas.ts';
import { withUncheckedFiles } from './unchecked-files.ts';
import {
  memoize,
  operationsOf,
  parametersOf,
  selectsFields,
  sliceContract,
  createSliceFinder,
  withErrorCodes,
  withClosedEnums,
  withInlineDefaults,
  withPartialRecords,
  type Contract,
  type Parameter,
} from '../contract/index.ts';
import { trimContractForRequests } from './contract-trimming.ts';
import { composeMiddleware } from './compose-middleware.ts';
import { OpenApiValidator } from './validator-library.ts';
import { patchValidator, replaceSecurityStep } from './validator-seams.ts';

/**
 * For a response that breaks the contract, `refuse` sends 500 instead, and `log` logs it and sends it. `off` skips the
 * check.
 */
export type ResponseChecks = 'refuse' | 'log' | 'off';

export interface ValidationHooks {
  /** Throws if the caller may not call the operation. Runs before the input is validated. */
  authorize: (request: Request, response: Response) => Promise<void>;
  onBadResponse: (error: unknown, operationId: string | undefined) => void;
}

export interface Validator {
  validate: (request: Request, response: Response, next: NextFunction, hooks: ValidationHooks) => void;
  warmUp: () => Promise<void>;
}

export function sharedValidatorOf(contract: Contract, responses: ResponseChecks): Validator {
  const known = validatorsByResponseChecks(contract);
  const validator = known.get(responses) ?? makeValidator(contract, responses);
  known.set(responses, validator);
  return validator;
}

const validatorsByResponseChecks = memoize((_contract: Contract) => new Map<ResponseChecks, Validator>());

function makeValidator(contract: Contract, responses: ResponseChecks): Validator {
  patchValidator();
  const asked = withUncheckedFiles(withUncheckedItems(withInlineDefaults(contract)));
  const checksResponses = responses !== 'off';
  const judged = checksResponses
    ? structuredClone(withErrorCodes(withClosedEnums(asked)))
    : trimContractForRequests(asked);
  const whole = new SlicedValidator(allowingReservedCharacters(judged), responses);
  let partial: SlicedValidator | undefined;
  const find = createSliceFinder(contract, whole.slices);
  return {
    validate: (request, response, next, hooks) => {
      const [path = '', query = ''] = request.url.split('?', 2);
      const index = find(path);
      if (index === null) return next(new NotFoundError('rest_no_route', 'There is no such route.'));
      (request as HookedRequest)[HOOKS] = hooks;
      if (!checksResponses || !selectsFields(query)) return whole.stepsOf(index)(request, response, next);
      partial ??= new SlicedValidator(withPartialRecords(judged), responses);
      return partial.stepsOf(index)(request, response, next);
    },
    warmUp: async () => {
      for (const index of whole.slices.keys()) {
        whole.stepsOf(index);
        // Compiling a slice takes some milliseconds, so requests get a turn after each.
        await setImmediate();
      }
    },
  };
}

class SlicedValidator {
  readonly slices: readonly Contract[];
  readonly #responses: ResponseChecks;
  readonly #steps: RequestHandler[] = [];

  constructor(contract: Contract, responses: ResponseChecks) {
    this.slices = sliceContract(contract);
    this.#responses = responses;
  }

  stepsOf(index: number): RequestHandler {
    return (this.#steps[index] ??= createValidatorSteps(this.slices[index] as Contract, this.#responses));
  }
}

/**
 * Key of a request's hooks. The request carries them, because pipelines with the same contract and response checks
 * share one validator.
 */
const HOOKS = Symbol('hooks of the validation');

interface HookedRequest {
  [HOOKS]?: ValidationHooks;
  openapi?: { schema?: { operationId?: string } };
}

const authorizationStep: RequestHandler = (request, response, next) =>
  void (request as HookedRequest)[HOOKS]?.authorize(request, response).then(() => next(), next);

const onBadResponse = (error: unknown, _body: unknown, request: HookedRequest): void =>
  request[HOOKS]?.onBadResponse(error, request.openapi?.schema?.operationId);

function createValidatorSteps(slice: Contract, responses: ResponseChecks): RequestHandler {
  const steps = OpenApiValidator.middleware({
    apiSpec: slice as never,
    // The lint command has checked the contract.
    validateApiSpec: false,
    validateSecurity: false,
    fileUploader: false,
    ajvFormats: { mode: 'full' },
    useRequestUrl: true,
    validateRequests: { allErrors: true, coerceTypes: false },
    validateResponses:
      responses === 'off'
        ? false
        : { coerceTypes: false, allErrors: true, ...(responses === 'log' && { onError: onBadResponse }) },
  } as unknown as Parameters<typeof OpenApiValidator.middleware>[0]) as RequestHandler[];
  return composeMiddleware(...replaceSecurityStep(steps, authorizationStep));
}

/** Allows unencoded commas and `@` in a query. Changes `copy` itself. */
function allowingReservedCharacters(copy: Contract): Contract {
  const all: (Parameter & { allowReserved?: boolean })[] = operationsOf(copy).flatMap((place) =>
    parametersOf(copy, place),
  );
  for (const parameter of all) if (parameter.in === 'query') parameter.allowReserved = true;
  return copy;
}
