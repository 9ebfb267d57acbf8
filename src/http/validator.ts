import { setImmediate } from 'node:timers/promises';
import type { Request, RequestHandler, Response } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import { NotFoundError } from '../shared/errors.ts';
import { withOpenItems } from './batch-items.ts';
import {
  operationsOf,
  parametersOf,
  sliceContract,
  sliceFinder,
  withErrorCodes,
  withSelections,
  type Contract,
  type Parameter,
} from '../contract/index.ts';
import { withoutAnswers } from './contract-trimming.ts';
import { inSequence } from './sequence.ts';
import { patchValidator, withAdmission } from './validator-seams.ts';

/** `refuse` answers 500 for an answer that breaks the contract, `log` sends it and says so, `off` does not look. */
export type ResponseChecks = 'refuse' | 'log' | 'off';

export interface ValidatorOptions {
  responses: ResponseChecks;
  /** Throws for who may not call the operation that was found; its input is not looked at before. */
  admit: (request: Request, response: Response) => Promise<void>;
  onBadResponse: (error: unknown, operationId: string | undefined) => void;
}

/**
 * The validator of one surface: finds the operation, coerces and checks its parameters and body, fills defaults in. It
 * matches the current URL, so that a rewrite before it counts. Slices are set up when they are first needed; `warmUp`
 * needs them all.
 */
export function validator(
  contract: Contract,
  options: ValidatorOptions,
): { handler: RequestHandler; warmUp: () => Promise<void> } {
  patchValidator();
  const asked = withOpenItems(contract);
  const slices = sliceContract(
    options.responses === 'off' ? withoutAnswers(asked) : withSelections(withErrorCodes(asked)),
  );
  const find = sliceFinder(contract, slices);
  const chains: RequestHandler[] = [];
  const chainOf = (index: number): RequestHandler => (chains[index] ??= chain(slices[index] as Contract, options));
  return {
    handler: (request, response, next) => {
      const query = request.url.indexOf('?');
      const index = find(query < 0 ? request.url : request.url.slice(0, query));
      if (index === null) return next(new NotFoundError('rest_no_route', 'No such route.'));
      return chainOf(index)(request, response, next);
    },
    warmUp: async () => {
      for (const index of slices.keys()) {
        chainOf(index);
        // A turn for requests between any two: setting one up takes some milliseconds.
        await setImmediate();
      }
    },
  };
}

function chain(slice: Contract, { responses, admit, onBadResponse }: ValidatorOptions): RequestHandler {
  const steps = OpenApiValidator.middleware({
    apiSpec: takingReservedSigns(structuredClone(slice)) as never,
    // Lint has passed the contract; a second check at each start would only cost.
    validateApiSpec: false,
    validateSecurity: false,
    fileUploader: false,
    ajvFormats: { mode: 'full' },
    useRequestUrl: true,
    validateRequests: { allErrors: true, coerceTypes: false },
    validateResponses:
      responses === 'off'
        ? false
        : {
            coerceTypes: false,
            allErrors: true,
            ...(responses === 'log'
              ? {
                  onError: (
                    error: unknown,
                    _body: unknown,
                    request: { openapi?: { schema?: { operationId?: string } } },
                  ) => onBadResponse(error, request.openapi?.schema?.operationId),
                }
              : {}),
          },
  } as unknown as Parameters<typeof OpenApiValidator.middleware>[0]) as RequestHandler[];
  const admission: RequestHandler = (request, response, next) => void admit(request, response).then(() => next(), next);
  return inSequence(...withAdmission(steps, admission));
}

/** A comma or an `@` in a query means itself: callers that do not encode it are understood all the same. */
function takingReservedSigns(slice: Contract): Contract {
  const all: (Parameter & { allowReserved?: boolean })[] = operationsOf(slice).flatMap((place) =>
    parametersOf(slice, place),
  );
  for (const parameter of all) if (parameter.in === 'query') parameter.allowReserved = true;
  return slice;
}
