import { isDeepStrictEqual } from 'node:util';
import {
  basePathOf,
  deref,
  componentNameOf,
  operationsOf,
  type Contract,
  type ContractOperation,
  type LocatedOperation,
  type Parameter,
} from '../../contract/index.ts';
import { PERMISSIONS } from '../../../generated/permissions.ts';
import { compareResponses } from './answers.ts';
import { levelOf, type Change, type Difference } from './kinds.ts';
import { normalizeContract } from './normalized.ts';
import type { ComparableContract, ComparableOperation, ChangeRecorder, ContractPair } from './pair.ts';
import { SchemaComparer } from './schemas.ts';
import { rewordedKeys } from './shapes.ts';

export function changesOf(surface: string, released: ComparableContract, present: ComparableContract): Change[] {
  const [before, after] = [normalizeContract(released), normalizeContract(present)];
  const changes = new Map<string, Change>();
  const add = (operation: string, { kind, subject, message }: Difference): void => {
    const key = `${kind} ${subject} ${message}`;
    const known = changes.get(key);
    if (known) known.operations.push(operation);
    else changes.set(key, { level: levelOf(kind), kind, surface, subject, message, operations: [operation] });
  };
  const [old, now] = [placesOf(before), placesOf(after)];
  if (basePathOf(before) !== basePathOf(after)) {
    const message = `The operations of ${surface} stand under ${basePathOf(after)}, not ${basePathOf(before)}.`;
    for (const id of old.keys()) add(id, { kind: 'base-changed', subject: surface, message });
  }
  const schemas = new SchemaComparer(before, after);
  for (const [id, place] of old) {
    const differences: Difference[] = [];
    const notes: ChangeRecorder = {
      record: (kind, subject, message) => void differences.push({ kind, subject, message }),
      include: (comparison) => void differences.push(...schemas.all(comparison)),
    };
    const renamed = [...now.values()].find(({ path, verb }) => path === place.path && verb === place.verb);
    const target = now.get(id);
    if (target) compareOperation({ before, after, schemas, recorder: notes }, place, target);
    else if (renamed) notes.record('operation-renamed', id, `${id} is called ${renamed.operation.operationId}.`);
    else notes.record('operation-removed', id, `${id} is gone.${sunsetText(place.operation)}`);
    for (const each of differences) add(id, each);
  }
  const known = new Set([...old.values()].map(addressOf));
  for (const [id, place] of now)
    if (!old.has(id) && !known.has(addressOf(place)))
      add(id, { kind: 'operation-added', subject: id, message: `${id} is new: ${addressOf(place)}.` });
  return [...changes.values()].map((change) => ({ ...change, operations: [...new Set(change.operations)] }));
}

const addressOf = ({ verb, path }: LocatedOperation): string => `${verb.toUpperCase()} ${path}`;

const placesOf = (contract: Contract): Map<string, LocatedOperation> =>
  new Map(operationsOf(contract).map((place) => [place.operation.operationId, place]));

function sunsetText({ 'x-deprecation': deprecation }: ContractOperation): string {
  const { sunset } = deprecation ?? {};
  return sunset === undefined ? ' It was not deprecated before.' : ` It was announced to be there until ${sunset}.`;
}

function compareOperation(pair: ContractPair, old: LocatedOperation, now: LocatedOperation): void {
  const id = old.operation.operationId;
  if (addressOf(old) !== addressOf(now))
    pair.recorder.record('operation-moved', id, `${id} is at ${addressOf(now)}, not at ${addressOf(old)}.`);
  compareAccess(pair, old, now);
  compareParameters(pair, old, now);
  compareBodies(pair, old.operation, now.operation);
  compareResponses(pair, old.operation, now.operation);
  const reworded = rewordedKeys(old.operation, now.operation);
  if (reworded.length > 0) pair.recorder.record('wording', id, `${id}: ${reworded.join(', ')} reworded.`);
}

const SCOPED: Readonly<Record<string, { scope: string }>> = PERMISSIONS;

/**
 * Returns the scopes that a permission needs. The contract of release 0.1.0 has only `read`, `write`, and `admin`,
 * which needs both scopes.
 */
function scopesOf(permission: string): string[] {
  if (permission === 'admin') return ['read', 'write'];
  const { scope } = SCOPED[permission] ?? { scope: permission };
  return scope === 'any' ? [] : scope === 'read_write' ? ['read', 'write'] : [scope];
}

function compareAccess(
  { before, after, recorder: notes }: ContractPair,
  old: LocatedOperation,
  now: LocatedOperation,
): void {
  const id = old.operation.operationId;
  const [was, is] = [old.operation as ComparableOperation, now.operation as ComparableOperation];
  const schemesOf = (operation: ComparableOperation, contract: ComparableContract): string[] =>
    (operation.security ?? contract.security ?? []).map((each) => Object.keys(each).sort().join(' with ') || 'nothing');
  const [schemes, newSchemes] = [schemesOf(was, before), schemesOf(is, after)];
  for (const scheme of schemes.filter((each) => !newSchemes.includes(each)))
    notes.record('security-tightened', id, `${id} does not take ${scheme} as a credential any more.`);
  for (const scheme of newSchemes.filter((each) => !schemes.includes(each)))
    notes.record('security-loosened', id, `${id} takes ${scheme} as a credential.`);

  const [right, newRight] = [permissionOf(old), permissionOf(now)];
  // If an operation required a scope and now requires one permission of that scope, no caller is excluded: the roles of
  // the earlier release have all permissions of the scope.
  const isNamed = !(right in SCOPED) && newRight in SCOPED;
  if (right !== newRight && !(isNamed && isDeepStrictEqual(scopesOf(right), scopesOf(newRight)))) {
    const isLower = !(newRight in SCOPED) && scopesOf(newRight).every((each) => scopesOf(right).includes(each));
    const message = `${id} asks for the permission ${newRight}, not ${right}.`;
    notes.record(isLower ? 'permission-lowered' : 'permission-changed', id, message);
  }
  const [module, newModule] = [was['x-module'], is['x-module']];
  if (module !== newModule && newModule === undefined)
    notes.record('module-dropped', id, `${id} does not need the module ${module} any more.`);
  else if (module !== newModule)
    notes.record('module-required', id, `${id} is there with the module ${newModule} alone.`);
  if (!was.deprecated && is.deprecated) notes.record('operation-deprecated', id, `${id} is deprecated.`);
  compareAbilityAnnotations(notes, old, now);
}

const permissionOf = ({ item, operation }: LocatedOperation): string =>
  operation['x-permission'] ?? (item['x-ability']?.readonly ? 'read' : 'write');

/** Agents and retrying clients rely on the annotations of abilities. */
function compareAbilityAnnotations(notes: ChangeRecorder, old: LocatedOperation, now: LocatedOperation): void {
  const id = old.operation.operationId;
  const promises = ({ item }: LocatedOperation): Record<string, boolean> => {
    const facts = item['x-ability'];
    return {
      'that it only reads': facts?.readonly ?? false,
      'that it destroys nothing': facts !== undefined && !facts.destructive,
      'that it may be repeated': facts?.idempotent ?? false,
    };
  };
  const [were, are] = [promises(old), promises(now)];
  for (const [promise, was] of Object.entries(were))
    if (was && !are[promise]) notes.record('promise-weakened', id, `${id} does not promise ${promise} any more.`);
    else if (!was && are[promise]) notes.record('promise-strengthened', id, `${id} promises ${promise}.`);
}

const SERIALIZATION_KEYS = ['style', 'explode', 'allowReserved', 'content'];
interface AnyParameter extends Parameter {
  deprecated?: boolean;
  [key: string]: unknown;
}

function compareParameters(
  { before, after, schemas, recorder: notes }: ContractPair,
  old: LocatedOperation,
  now: LocatedOperation,
): void {
  const id = old.operation.operationId;
  const [were, are] = [parametersBy(before, old), parametersBy(after, now)];
  const added = [...are.keys()].filter((key) => !were.has(key));
  for (const [key, { parameter: was, name }] of were) {
    const { parameter: is, name: newName } = are.get(key) ?? {};
    const subject = name !== undefined && name === newName ? name : `${id}.${key}`;
    if (!is) {
      const renamed = added.find((each) => isRenamed(was, are.get(each)?.parameter));
      if (renamed !== undefined) {
        added.splice(added.indexOf(renamed), 1);
        notes.record('parameter-renamed', subject, `The parameter ${key} of ${id} is called ${renamed}.`);
      } else notes.record('parameter-removed', subject, `${id} does not take the parameter ${key} any more.`);
      continue;
    }
    if (!was.required && is.required) notes.record('parameter-required', subject, `${subject} must be sent.`);
    if (was.required && !is.required) notes.record('parameter-optional', subject, `${subject} may be left out.`);
    if (SERIALIZATION_KEYS.some((each) => !isDeepStrictEqual(was[each], is[each])))
      notes.record('parameter-written-otherwise', subject, `${subject} is written in another form.`);
    for (const alias of aliasesOf(was).filter((each) => !aliasesOf(is).includes(each)))
      notes.record('input-spelling-removed', subject, `${subject} does not go by ${alias} any more.`);
    if (!was.deprecated && is.deprecated) notes.record('deprecated', subject, `${subject} is deprecated.`);
    if (rewordedKeys(was, is).length > 0) notes.record('wording', subject, `${subject} is reworded.`);
    notes.include(schemas.compare(was.schema ?? {}, is.schema ?? {}, 'input', subject));
  }
  for (const key of added) {
    const subject = `${id}.${key}`;
    if (are.get(key)?.parameter.required)
      notes.record('parameter-required', subject, `${id} asks for the parameter ${key}, which is new.`);
    else notes.record('parameter-added', subject, `${id} takes the parameter ${key}.`);
  }
}

/** The contract of release 0.1.0 has a single alias, in the key `x-alias`. */
const aliasesOf = (parameter: AnyParameter): string[] => [
  ...Object.keys(parameter['x-aliases'] ?? {}),
  ...('x-alias' in parameter ? [String(parameter['x-alias'])] : []),
];

function parametersBy(
  contract: Contract,
  { item, operation }: LocatedOperation,
): Map<string, { parameter: AnyParameter; name: string | undefined }> {
  const all = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
  return new Map(
    all.map((each) => {
      const parameter = deref(contract, each) as AnyParameter;
      return [`${parameter.in}.${parameter.name}`, { parameter, name: componentNameOf(each) }];
    }),
  );
}

function isRenamed(was: AnyParameter, is: AnyParameter | undefined): boolean {
  if (!is || was.in !== is.in) return false;
  return isDeepStrictEqual(was.schema, is.schema) && was.required === is.required;
}

function compareBodies(
  { before, after, schemas, recorder: notes }: ContractPair,
  old: ContractOperation,
  now: ContractOperation,
): void {
  const id = old.operationId;
  const subject = `${id}.body`;
  const [was, is] = [old.requestBody, now.requestBody].map((body, at) =>
    body ? deref([before, after][at] as Contract, body as typeof body & { $ref?: string }) : undefined,
  );
  if (was && !is) return notes.record('body-removed', subject, `${id} takes no body any more.`);
  if (!was && is)
    if (is.required) return notes.record('body-required', subject, `${id} asks for a body, which is new.`);
    else return notes.record('body-added', subject, `${id} takes a body.`);
  if (!was || !is) return;
  if (!was.required && is.required) notes.record('body-required', subject, `${id} asks for a body.`);
  if (was.required && !is.required) notes.record('body-optional', subject, `${id} may be called without a body.`);
  for (const [type, media] of Object.entries(was.content)) {
    const other = is.content[type];
    if (!other) notes.record('input-content-type-removed', `${id}.${type}`, `${id} does not take ${type} any more.`);
    else notes.include(schemas.compare(media.schema, other.schema, 'input', subject));
  }
  for (const type of Object.keys(is.content))
    if (!was.content[type]) notes.record('input-content-type-added', `${id}.${type}`, `${id} takes ${type}.`);
}
