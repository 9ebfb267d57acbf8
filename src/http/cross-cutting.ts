import type { RequestHandler } from 'express';
import { ForbiddenError, NotFoundError, UnauthenticatedError } from '../shared/errors.ts';
import type { Logger } from '../shared/logger.ts';
import { operationsOf, type Contract, type OperationPlace } from './contract.ts';
import { mayDo, type ModuleSwitch, type Right } from './ports.ts';

/** What the `x-` keys of an operation ask for, resolved once at start. */
interface Demands {
  id: string;
  right: Right;
  module: string | null;
  audit: boolean;
}

function demandsOf({ item, operation, id }: OperationPlace): Demands {
  const facts = item['x-ability'];
  return {
    id,
    right: operation['x-permission'] ?? (facts?.readonly ? 'read' : 'write'),
    module: operation['x-module'] ?? null,
    audit: operation['x-audit'] === true,
  };
}

/** Permission, module and audit, driven by the contract; handlers know nothing of them. */
export function crossCutting(contract: Contract, modules: ModuleSwitch, logger: Logger): RequestHandler {
  const demands = new Map(operationsOf(contract).map((place) => [place.operation.operationId, demandsOf(place)]));
  return (request, response, next) => {
    const operationId = (request as { openapi?: { schema?: { operationId?: string } } }).openapi?.schema?.operationId;
    const demand = operationId === undefined ? undefined : demands.get(operationId);
    if (!demand) return next();
    const { caller, requestId } = response.locals;
    if (!caller)
      return next(new UnauthenticatedError('svc_unauthenticated', 'The credential is missing or not valid.'));
    response.locals.operationId = demand.id;
    if (demand.audit)
      response.on('finish', () =>
        logger.info(
          {
            audit: true,
            operation: demand.id,
            user: caller.name,
            credential: caller.credential,
            address: request.ip,
            status: response.statusCode,
            request_id: requestId,
          },
          'audited call',
        ),
      );
    if (!mayDo(caller, demand.right))
      return next(
        new ForbiddenError('svc_permission_denied', 'This credential does not carry the right for this call.'),
      );
    if (demand.module === null) return next();
    const { module } = demand;
    return void modules
      .isActive(module)
      .then(
        (active) =>
          next(
            active ? undefined : new NotFoundError('svc_module_not_available', `The module ${module} is not active.`),
          ),
        next,
      );
  };
}
