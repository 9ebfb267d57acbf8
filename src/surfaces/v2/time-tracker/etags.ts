import { etagOf } from '../../../http/etags.ts';
import { PreconditionFailedError } from '../../../shared/errors.ts';
import type { Precondition } from '../../../shared/precondition.ts';

interface WithRevision {
  revision: number | string;
}

/**
 * Returns an ETag in two parts: a hash of the response, and the revision of the record. The response also changes
 * without an edit: a running timer counts seconds, and the balance of a bucket (prepaid hours) depends on its tasks.
 */
export const recordEtagOf = (shown: object, { revision }: WithRevision): string =>
  etagOf(shown).replace(/"$/, `.${revision}"`);

/**
 * Checks only the revision in `If-Match`, so that the precondition holds until someone edits the record. Throws
 * `svc_precondition_failed`.
 */
export function revisionPrecondition(ifMatch: string | undefined): Precondition<WithRevision> | undefined {
  if (ifMatch === undefined) return undefined;
  const tags = ifMatch.split(',').map((tag) => tag.trim());
  return ({ revision }) => {
    if (tags.some((tag) => tag === '*' || new RegExp(`^"[\\w-]{22}\\.${revision}"$`).test(tag))) return;
    throw new PreconditionFailedError(
      'svc_precondition_failed',
      'The record was changed since it was read. Read it again.',
    );
  };
}
