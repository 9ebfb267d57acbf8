import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Express, Request, RequestHandler, Response } from 'express';
import { InternalError, NotFoundError } from '../shared/errors.ts';
import type { Logger } from '../shared/logger.ts';
import { baseOf, handlerIdOf, operationsOf, type Contract } from './contract.ts';
import { crossCutting } from './cross-cutting.ts';
import { renderErrors, type ErrorDialect } from './errors.ts';
import type { ModuleSwitch } from './ports.ts';
import { prepareAbility, prepareRoute } from './prepare.ts';
import { validator, type ResponseChecks } from './validator.ts';

export interface Surface {
  contract: Contract;
  dialect: ErrorDialect;
  /** operationId → handler; total, which the type of the map has proved already. */
  handlers: Record<string, unknown>;
}

export interface SurfaceOptions {
  modules: ModuleSwitch;
  logger: Logger;
  responses: ResponseChecks;
}

type AnyAbility = (input: unknown, context: unknown) => Promise<unknown>;
type AnyRoute = (
  request: unknown,
) => Promise<{ status: number; body?: unknown; headers?: Record<string, string>; contentType?: string }>;
interface OpenApiRequest extends Request {
  openapi?: { pathParams: Record<string, unknown>; schema: { operationId?: string } };
}

/**
 * Mounts a surface: prepare, validate, check rights, dispatch, and render what was refused. There is no route per operation;
 * the validator finds the operation and the map finds the handler, so that the two cannot disagree.
 */
export function mountSurface(app: Express, surface: Surface, options: SurfaceOptions): { warmUp: () => Promise<void> } {
  const { contract, dialect } = surface;
  const base = baseOf(contract);
  const { responses, logger } = options;
  // The contract's path `/` is matched with its slash; the address is published without.
  app.use((request, _response, next) => {
    if (request.url === base || request.url.startsWith(`${base}?`)) request.url = request.url.replace(base, `${base}/`);
    next();
  });
  app.use(base, dialect.ability ? prepareAbility(contract) : prepareRoute(contract));
  const { handler, warmUp } = validator(contract, {
    responses,
    onBadResponse: (error, operation) => logger.error({ err: error, operation }, 'an answer breaks the contract'),
  });
  app.use((request, response, next) =>
    request.url.startsWith(base) && '/?'.includes(request.url.charAt(base.length))
      ? handler(request, response, next)
      : next(),
  );
  app.use(base, crossCutting(contract, options.modules, logger));
  app.use(base, dispatch(surface));
  app.use(base, (_request, _response, next) => next(new NotFoundError('rest_no_route', 'No such route.')));
  app.use(base, renderErrors(dialect, logger));
  return { warmUp };
}

function dispatch({ contract, handlers }: Surface): RequestHandler {
  const abilities = new Set<string>();
  for (const { id, item } of operationsOf(contract)) {
    if (typeof handlers[id] !== 'function') throw new Error(`The operation ${id} has no handler.`);
    if (item['x-ability']) abilities.add(id);
  }
  return async (request: OpenApiRequest, response) => {
    const operationId = request.openapi?.schema.operationId;
    const { caller, requestId } = response.locals;
    if (operationId === undefined || !caller) throw new NotFoundError('rest_no_route', 'No such route.');
    const id = handlerIdOf(operationId);
    if (abilities.has(id)) {
      const carrier = (request.method === 'POST' ? request.body : request.query) as { input: unknown };
      response.json(await (handlers[id] as AnyAbility)(carrier.input, { caller, requestId }));
      return;
    }
    const call = {
      path: request.openapi?.pathParams ?? {},
      query: request.query,
      body: request.body as unknown,
      caller,
      requestId,
    };
    await send(response, await (handlers[id] as AnyRoute)(call));
  };
}

async function send(response: Response, answer: Awaited<ReturnType<AnyRoute>>): Promise<void> {
  response.status(answer.status);
  if (answer.headers) response.set(answer.headers);
  if (answer.body === undefined) response.end();
  else if (!(answer.body instanceof Readable)) response.json(answer.body);
  else {
    if (!answer.contentType) throw new InternalError('svc_internal_error', 'A stream needs a content type.');
    response.type(answer.contentType);
    await pipeline(answer.body, response);
  }
}
