import { deref, componentNameOf, type Contract, type ContractResponse, type Schema } from '../../contract/index.ts';
import type { ComparableOperation, ChangeRecorder, ContractPair } from './pair.ts';
import { rewordedKeys } from './shapes.ts';

/**
 * Returns the name of the component if both nodes refer to the same one, otherwise `otherwise`. A change of a component
 * that several operations share is then reported once, not once per operation.
 */
function subjectOf(before: unknown, after: unknown, otherwise: string): string {
  const [old, now] = [componentNameOf(before as object), componentNameOf(after as object)];
  return old !== undefined && old === now ? old : otherwise;
}

const isSuccess = (status: string): boolean => /^2/.test(status);

export function compareResponses(pair: ContractPair, old: ComparableOperation, now: ComparableOperation): void {
  const { before, after, recorder: notes } = pair;
  const id = old.operationId;
  for (const [status, answer] of Object.entries(old.responses)) {
    const other = now.responses[status];
    if (other) {
      compareCodes(notes, `${id}.${status}`, codesOf(before, old, status), codesOf(after, now, status));
      compareResponse(pair, subjectOf(answer, other, `${id}.${status}`), deref(before, answer), deref(after, other));
    } else notes.record('status-removed', `${id}.${status}`, `${id} does not answer ${status} any more.`);
  }
  for (const status of Object.keys(now.responses)) {
    if (old.responses[status]) continue;
    // A client that only knows 200 does not handle a 202.
    const kind = isSuccess(status) ? 'success-added' : 'status-added';
    notes.record(kind, `${id}.${status}`, `${id} may answer ${status}.`);
  }
}

function compareCodes(notes: ChangeRecorder, subject: string, codes: string[], newCodes: string[]): void {
  for (const code of codes.filter((each) => !newCodes.includes(each)))
    notes.record('error-code-removed', `${subject}.${code}`, `${subject} is never ${code} any more.`);
  for (const code of newCodes.filter((each) => !codes.includes(each)))
    notes.record('error-code-added', `${subject}.${code}`, `${subject} may be ${code}.`);
}

/** The contract of release 0.1.0 contains the error codes in the responses, not in the operation. */
const codesOf = (contract: Contract, operation: ComparableOperation, status: string): string[] =>
  operation['x-error-codes']?.[status] ??
  (deref(contract, operation.responses[status] ?? {}) as { 'x-error-codes'?: string[] })['x-error-codes'] ??
  [];

function compareResponse(pair: ContractPair, subject: string, old: ContractResponse, now: ContractResponse): void {
  const { recorder: notes, schemas } = pair;
  for (const [type, media] of Object.entries(old.content ?? {})) {
    const other = now.content?.[type];
    if (!other)
      notes.record('content-type-removed', `${subject}.${type}`, `${subject} is not there as ${type} any more.`);
    else notes.include(schemas.compare(media.schema ?? {}, other.schema ?? {}, 'answer', subject));
  }
  for (const type of Object.keys(now.content ?? {}))
    if (!old.content?.[type])
      notes.record('content-type-added', `${subject}.${type}`, `${subject} is there as ${type}.`);
  compareHeaders(pair, subject, old, now);
  if (rewordedKeys(old, now).length > 0) notes.record('wording', subject, `${subject} is reworded.`);
}

function compareHeaders(pair: ContractPair, subject: string, old: ContractResponse, now: ContractResponse): void {
  const { before, after, recorder: notes, schemas } = pair;
  for (const [name, header] of Object.entries(old.headers ?? {})) {
    const other = now.headers?.[name];
    const at = `${subject}.${name}`;
    if (other === undefined) notes.record('header-removed', at, `${subject} carries no ${name} any more.`);
    else
      notes.include(
        schemas.compare(schemaOf(before, header), schemaOf(after, other), 'answer', subjectOf(header, other, at)),
      );
  }
  for (const name of Object.keys(now.headers ?? {}))
    if (old.headers?.[name] === undefined)
      notes.record('header-added', `${subject}.${name}`, `${subject} carries ${name}.`);
}

const schemaOf = (contract: Contract, header: unknown): Schema =>
  deref(contract, header as { $ref?: string; schema?: Schema }).schema ?? {};
