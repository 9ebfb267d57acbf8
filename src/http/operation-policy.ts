import type { Request } from 'express';
import type { Caller } from '../shared/caller.ts';
import { ForbiddenError, NotFoundError } from '../shared/errors.ts';
import {
  deref,
  handlerIdOf,
  abilityInputOf,
  memoize,
  operationsOf,
  siteParameterRuleOf,
  type Contract,
  type LocatedOperation,
  type SiteParameterRule,
} from '../contract/index.ts';
import { FieldSelection } from './field-selection.ts';
import { bodyNormalizerOf, type NormalizeBody } from './body-normalization.ts';
import type { IdempotencyPolicy } from './idempotency.ts';
import { hasPermission, type ModuleStatus, type Permission } from './ports.ts';

export interface OperationPolicy {
  id: string;
  isAbility: boolean;
  hasBody: boolean;
  inputLocation: 'input' | 'body' | 'query';
  /** True if the body holds calls of other operations. Each of them is authorized and validated separately. */
  isBatch: boolean;
  /** True if the input must contain `confirm: true`, unless `dry_run` is true. */
  needsConfirmation: boolean;
  site: SiteParameterRule | null;
  permission: Permission;
  module: string | null;
  isAudited: boolean;
  idempotency: IdempotencyPolicy;
  selection: FieldSelection | null;
  normalizeBody: NormalizeBody | null;
}

export const operationPoliciesOf = memoize(
  (contract: Contract): ReadonlyMap<string, OperationPolicy> =>
    new Map(operationsOf(contract).map((place) => [place.operation.operationId, operationPolicyOf(contract, place)])),
);

function operationPolicyOf(contract: Contract, place: LocatedOperation): OperationPolicy {
  const { item, operation, id } = place;
  const facts = item['x-ability'];
  const takesBody = operation.requestBody !== undefined;
  const verbs = (['put', 'delete'] as const).map((verb) => item[verb]?.operationId);
  const isWrite = facts ? !facts.readonly : place.verb !== 'get';
  const isBatch = operation['x-batch'] === true;
  return {
    id,
    isAbility: facts !== undefined,
    hasBody: takesBody,
    inputLocation: facts ? 'input' : takesBody ? 'body' : 'query',
    isBatch,
    needsConfirmation:
      facts !== undefined && 'confirm' in (deref(contract, abilityInputOf(contract, item)).properties ?? {}),
    site: siteParameterRuleOf(contract, place),
    permission: operation['x-permission'] ?? (facts?.readonly ? 'read' : 'write'),
    module: operation['x-module'] ?? null,
    isAudited: isWrite && !isBatch,
    idempotency: {
      hasSecretResponse: operation['x-secret-answer'] === true,
      isRepeatable:
        facts?.idempotent ??
        (operation['x-idempotent'] === true ||
          (!isBatch && verbs.some((known) => known !== undefined && handlerIdOf(known) === id))),
    },
    selection: facts ? null : FieldSelection.of(contract, operation),
    normalizeBody: facts ? null : bodyNormalizerOf(contract, operation),
  };
}

export async function authorize(
  { permission: right, module }: OperationPolicy,
  caller: Caller,
  modules: ModuleStatus,
): Promise<void> {
  if (!hasPermission(caller, right))
    throw new ForbiddenError('svc_permission_denied', 'This credential does not have the permission for this call.');
  if (module !== null && !(await modules.isActive(module)))
    throw new NotFoundError('svc_module_not_available', `The module ${module} is not active.`);
}

export interface MatchedOperation {
  pathParams?: Record<string, unknown>;
  schema?: { operationId?: string };
}
export const matchedOperationOf = (request: Request): MatchedOperation | undefined =>
  (request as { openapi?: MatchedOperation }).openapi;
