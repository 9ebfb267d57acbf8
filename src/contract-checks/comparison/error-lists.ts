import { errorCodesOf, operationsOf } from '../../contract/index.ts';
import type { ComparableContract, ComparableOperation } from './pair.ts';

export function addErrorLists(document: ComparableContract): void {
  for (const place of operationsOf(document))
    (place.operation as ComparableOperation)['x-error-codes'] = Object.fromEntries(errorCodesOf(document, place));
}
