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
} from '../../../src/contract/index.ts';
import { compareAnswers } from './answers.ts';
import { levelOf, type Change, type Difference } from './kinds.ts';
import { normalized } from './normalized.ts';
import type { Comparable, ComparableOperation, Notes, Pair } from './pair.ts';
import { SchemaComparer } from './schemas.ts';
import { rewordings } from './shapes.ts';

/** Every change of a surface, each once, with the operations that show it. */
export function changesOf(surface: string, released: Comparable, present: Comparable): Change[] {
  const [before, after] = [normalized(released), normalized(present)];
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
    const notes: Notes = {
      note: (kind, subject, message) => void differences.push({ kind, subject, message }),
      include: (comparison) => void differences.push(...schemas.all(comparison)),
    };
    const renamed = [...now.values()].find(({ path, verb }) => path === place.path && verb === place.verb);
    const target = now.get(id);
    if (target) compareOperation({ before, after, schemas, notes }, place, target);
    else if (renamed) notes.note('operation-renamed', id, `${id} is called ${renamed.operation.operationId}.`);
    else notes.note('operation-removed', id, `${id} is gone.${untilSunset(place.operation)}`);
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

function untilSunset({ 'x-deprecation': deprecation }: ContractOperation): string {
  const { sunset } = deprecation ?? {};
  return sunset === undefined ? ' It was not deprecated before.' : ` It was announced to be there until ${sunset}.`;
}

function compareOperation(pair: Pair, old: LocatedOperation, now: LocatedOperation): void {
  const id = old.operation.operationId;
  if (addressOf(old) !== addressOf(now))
    pair.notes.note('operation-moved', id, `${id} is at ${addressOf(now)}, not at ${addressOf(old)}.`);
  compareDemands(pair, old, now);
  compareParameters(pair, old, now);
  compareBodies(pair, old.operation, now.operation);
  compareAnswers(pair, old.operation, now.operation);
  const reworded = rewordings(old.operation, now.operation);
  if (reworded.length > 0) pair.notes.note('wording', id, `${id}: ${reworded.join(', ')} reworded.`);
}

const RIGHTS: Record<string, readonly string[]> = { read: ['read'], write: ['write'], admin: ['read', 'write'] };

/** What a caller must be and have, and what it is promised of the call as a whole. */
function compareDemands({ before, after, notes }: Pair, old: LocatedOperation, now: LocatedOperation): void {
  const id = old.operation.operationId;
  const [was, is] = [old.operation as ComparableOperation, now.operation as ComparableOperation];
  const schemesOf = (operation: ComparableOperation, contract: Comparable): string[] =>
    (operation.security ?? contract.security ?? []).map((each) => Object.keys(each).sort().join(' with ') || 'nothing');
  const [schemes, newSchemes] = [schemesOf(was, before), schemesOf(is, after)];
  for (const scheme of schemes.filter((each) => !newSchemes.includes(each)))
    notes.note('security-tightened', id, `${id} does not take ${scheme} as a credential any more.`);
  for (const scheme of newSchemes.filter((each) => !schemes.includes(each)))
    notes.note('security-loosened', id, `${id} takes ${scheme} as a credential.`);

  const [right, newRight] = [rightOf(old), rightOf(now)];
  if (right !== newRight) {
    const isLower = RIGHTS[newRight]?.every((each) => RIGHTS[right]?.includes(each)) ?? false;
    const message = `${id} asks for the right to ${newRight}, not ${right}.`;
    notes.note(isLower ? 'permission-lowered' : 'permission-changed', id, message);
  }
  const [module, newModule] = [was['x-module'], is['x-module']];
  if (module !== newModule && newModule === undefined)
    notes.note('module-dropped', id, `${id} does not need the module ${module} any more.`);
  else if (module !== newModule)
    notes.note('module-required', id, `${id} is there with the module ${newModule} alone.`);
  if (!was.deprecated && is.deprecated) notes.note('operation-deprecated', id, `${id} is deprecated.`);
  comparePromises(notes, old, now);
}

const rightOf = ({ item, operation }: LocatedOperation): string =>
  operation['x-permission'] ?? (item['x-ability']?.readonly ? 'read' : 'write');

/** What agents and retrying clients go by. */
function comparePromises(notes: Notes, old: LocatedOperation, now: LocatedOperation): void {
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
    if (was && !are[promise]) notes.note('promise-weakened', id, `${id} does not promise ${promise} any more.`);
    else if (!was && are[promise]) notes.note('promise-strengthened', id, `${id} promises ${promise}.`);
}

const WRITTEN = ['style', 'explode', 'allowReserved', 'content'];
interface AnyParameter extends Parameter {
  deprecated?: boolean;
  [key: string]: unknown;
}

function compareParameters(
  { before, after, schemas, notes }: Pair,
  old: LocatedOperation,
  now: LocatedOperation,
): void {
  const id = old.operation.operationId;
  const [were, are] = [parametersBy(before, old), parametersBy(after, now)];
  const added = [...are.keys()].filter((key) => !were.has(key));
  for (const [key, { parameter: was, name }] of were) {
    const { parameter: is, name: newName } = are.get(key) ?? {};
    // One that operations share is reported once.
    const subject = name !== undefined && name === newName ? name : `${id}.${key}`;
    if (!is) {
      const renamed = added.find((each) => isRenamed(was, are.get(each)?.parameter));
      if (renamed !== undefined) {
        added.splice(added.indexOf(renamed), 1);
        notes.note('parameter-renamed', subject, `The parameter ${key} of ${id} is called ${renamed}.`);
      } else notes.note('parameter-removed', subject, `${id} does not take the parameter ${key} any more.`);
      continue;
    }
    if (!was.required && is.required) notes.note('parameter-required', subject, `${subject} must be sent.`);
    if (was.required && !is.required) notes.note('parameter-optional', subject, `${subject} may be left out.`);
    if (WRITTEN.some((each) => !isDeepStrictEqual(was[each], is[each])))
      notes.note('parameter-written-otherwise', subject, `${subject} is written in another form.`);
    for (const alias of aliasesOf(was).filter((each) => !aliasesOf(is).includes(each)))
      notes.note('input-spelling-removed', subject, `${subject} does not go by ${alias} any more.`);
    if (!was.deprecated && is.deprecated) notes.note('deprecated', subject, `${subject} is deprecated.`);
    if (rewordings(was, is).length > 0) notes.note('wording', subject, `${subject} is reworded.`);
    notes.include(schemas.compare(was.schema ?? {}, is.schema ?? {}, 'input', subject));
  }
  for (const key of added) {
    const subject = `${id}.${key}`;
    if (are.get(key)?.parameter.required)
      notes.note('parameter-required', subject, `${id} asks for the parameter ${key}, which is new.`);
    else notes.note('parameter-added', subject, `${id} takes the parameter ${key}.`);
  }
}

/** Release 0.1.0 has one other name, in a key of its own. */
const aliasesOf = (parameter: AnyParameter): string[] => [
  ...Object.keys(parameter['x-aliases'] ?? {}),
  ...('x-alias' in parameter ? [String(parameter['x-alias'])] : []),
];

/** The parameters of an operation by place and name, each with the name under which operations share it. */
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
  // In a path the name is for clients alone; its place counts.
  if (!is || was.in !== is.in) return false;
  return isDeepStrictEqual(was.schema, is.schema) && was.required === is.required;
}

function compareBodies({ before, after, schemas, notes }: Pair, old: ContractOperation, now: ContractOperation): void {
  const id = old.operationId;
  const subject = `${id}.body`;
  const [was, is] = [old.requestBody, now.requestBody].map((body, at) =>
    body ? deref([before, after][at] as Contract, body as typeof body & { $ref?: string }) : undefined,
  );
  if (was && !is) return notes.note('body-removed', subject, `${id} takes no body any more.`);
  if (!was && is)
    if (is.required) return notes.note('body-required', subject, `${id} asks for a body, which is new.`);
    else return notes.note('body-added', subject, `${id} takes a body.`);
  if (!was || !is) return;
  if (!was.required && is.required) notes.note('body-required', subject, `${id} asks for a body.`);
  if (was.required && !is.required) notes.note('body-optional', subject, `${id} may be called without a body.`);
  for (const [type, media] of Object.entries(was.content)) {
    const other = is.content[type];
    if (!other) notes.note('input-content-type-removed', `${id}.${type}`, `${id} does not take ${type} any more.`);
    else notes.include(schemas.compare(media.schema, other.schema, 'input', subject));
  }
  for (const type of Object.keys(is.content))
    if (!was.content[type]) notes.note('input-content-type-added', `${id}.${type}`, `${id} takes ${type}.`);
}
