import { operationsOf, recordPlace } from '../../src/contract/index.ts';
import type { Document } from './document.ts';

const SAYS = '`_fields` leaves out what it does not name.';

/** Says in each record that can be asked for in part that its schema is the one of a full answer. */
export function expandSelections(document: Document): Document {
  for (const { operation } of operationsOf(document)) {
    const record = recordPlace(document, operation)?.record as { description: string } | undefined;
    if (record && !record.description.endsWith(SAYS)) record.description += ` ${SAYS}`;
  }
  return document;
}
