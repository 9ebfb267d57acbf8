import { errorCodesOf, operationsOf } from '../../contract/index.ts';
import type { ComparableContract, ComparableOperation } from './pair.ts';

/** Adds the error codes of all operations to a document. */
export function addErrorLists(document: ComparableContract): void {
  for (const place of operationsOf(document))
    (place.operation as ComparableOperation)['x-error-codes'] = Object.fromEntries(errorCodesOf(document, place));
}
