import { operationsOf, type Contract } from '../../src/http/contract.ts';
import { recordPlace } from '../../src/http/selected-answers.ts';
import type { Document } from './expand-errors.ts';

const SAYS = '`_fields` leaves out what it does not name.';

/** Says in each record that can be asked for in part that its schema is the one of a full answer. */
export function expandSelections(document: Document): Document {
  const contract = document as unknown as Contract;
  for (const { operation } of operationsOf(contract)) {
    const record = recordPlace(contract, operation)?.record as { description: string } | undefined;
    if (record && !record.description.endsWith(SAYS)) record.description += ` ${SAYS}`;
  }
  return document;
}
