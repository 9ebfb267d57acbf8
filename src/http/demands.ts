import type { Request } from 'express';
import type { Caller } from '../shared/caller.ts';
import { ForbiddenError, NotFoundError } from '../shared/errors.ts';
import {
  deref,
  handlerIdOf,
  inputOf,
  madeOnce,
  operationsOf,
  siteReferenceOf,
  type Contract,
  type OperationPlace,
  type SiteReference,
} from '../contract/index.ts';
import { FieldSelection } from './field-selection.ts';
import { spellingOf, type SpellBody } from './spellings.ts';
import type { Repetition } from './idempotency.ts';
import { mayDo, type ModuleSwitch, type Right } from './ports.ts';

/** What the keys of an operation in the contract ask for, resolved once at start; handlers know nothing of them. */
export interface Demands {
  /** The id that handlers, logs and metrics know. */
  id: string;
  ability: boolean;
  takesBody: boolean;
  /** Where its input stands. */
  fieldsIn: 'input' | 'body' | 'query';
  /** Its body holds calls of other operations, each of which is judged by itself. */
  batch: boolean;
  /** The ability destroys something, and asks for a yes in its input. */
  confirmed: boolean;
  /** The parameter or field that names the site which the call is about. */
  site: SiteReference | null;
  right: Right;
  module: string | null;
  audit: boolean;
  repetition: Repetition;
  selection: FieldSelection | null;
  spellBody: SpellBody | null;
}

export const demandsOf = madeOnce(
  (contract: Contract): ReadonlyMap<string, Demands> =>
    new Map(operationsOf(contract).map((place) => [place.operation.operationId, demandsAt(contract, place)])),
);

function demandsAt(contract: Contract, place: OperationPlace): Demands {
  const { item, operation, id } = place;
  const facts = item['x-ability'];
  const takesBody = operation.requestBody !== undefined;
  const verbs = (['put', 'delete'] as const).map((verb) => item[verb]?.operationId);
  const isWrite = facts ? !facts.readonly : place.verb !== 'get';
  const isBatch = operation['x-batch'] === true;
  return {
    id,
    ability: facts !== undefined,
    takesBody,
    fieldsIn: facts ? 'input' : takesBody ? 'body' : 'query',
    batch: isBatch,
    confirmed: facts !== undefined && 'confirm' in (deref(contract, inputOf(contract, item)).properties ?? {}),
    site: siteReferenceOf(contract, place),
    right: operation['x-permission'] ?? (facts?.readonly ? 'read' : 'write'),
    module: operation['x-module'] ?? null,
    audit: isWrite && !isBatch,
    repetition: {
      secret: operation['x-secret-answer'] === true,
      harmless:
        facts?.idempotent ?? (!isBatch && verbs.some((known) => known !== undefined && handlerIdOf(known) === id)),
    },
    selection: facts ? null : FieldSelection.of(contract, operation),
    spellBody: facts ? null : spellingOf(contract, operation),
  };
}

/** Throws unless the caller has the right and the module is active. */
export async function admit({ right, module }: Demands, caller: Caller, modules: ModuleSwitch): Promise<void> {
  if (!mayDo(caller, right))
    throw new ForbiddenError('svc_permission_denied', 'This credential does not carry the right for this call.');
  if (module !== null && !(await modules.isActive(module)))
    throw new NotFoundError('svc_module_not_available', `The module ${module} is not active.`);
}

/** The operation that the validator found, and what it read off the path. */
export interface FoundOperation {
  pathParams?: Record<string, unknown>;
  schema?: { operationId?: string };
}
export const foundIn = (request: Request): FoundOperation | undefined =>
  (request as { openapi?: FoundOperation }).openapi;
