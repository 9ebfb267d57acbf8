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
import { isLimited } from '../shared/site-scope.ts';
import { requirePermission } from '../shared/permission-check.ts';
import type { Permission } from '../shared/permissions.ts';
import type { ModuleStatus } from './ports.ts';

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
  /** True if the operation itself limits what it reads and changes to the sites of the caller. */
  appliesSiteLimit: boolean;
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
    permission: operation['x-permission'] as Permission,
    appliesSiteLimit: operation['x-site-limit'] === true,
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
  { permission, appliesSiteLimit, module }: OperationPolicy,
  caller: Caller,
  modules: ModuleStatus,
): Promise<void> {
  requirePermission(caller, permission);
  if (isLimited(caller.sites) && !appliesSiteLimit)
    throw new ForbiddenError(
      'svc_outside_limits',
      'This operation is about the whole fleet, and this credential is limited to some sites.',
    );
  if (module !== null && !(await modules.isActive(module)))
    throw new NotFoundError('svc_module_not_available', `The module ${module} is not active.`);
}

export interface MatchedOperation {
  pathParams?: Record<string, unknown>;
  schema?: { operationId?: string };
}
export const matchedOperationOf = (request: Request): MatchedOperation | undefined =>
  (request as { openapi?: MatchedOperation }).openapi;
