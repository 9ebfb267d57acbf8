import { digestOf } from '../shared/digest.ts';
import { PreconditionFailedError } from '../shared/errors.ts';
import type { Precondition } from '../shared/precondition.ts';

export const etagOf = (record: object): string => `"${digestOf(JSON.stringify(record))}"`;

const splitEtags = (header: string): string[] => header.split(',').map((tag) => tag.trim());

/** True if the caller already has this version. `If-None-Match` uses weak comparison, so `W/` is ignored. */
export const isNotModified = (header: string | undefined, etag: string): boolean =>
  header !== undefined && splitEtags(header).some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag);

/**
 * Returns the `If-Match` precondition of an edit, or undefined if the caller sent none. The edit must run the
 * precondition while it holds the lock of the record. The precondition accepts the ETag of every form (`views`) in
 * which the API returns the record, and throws `svc_precondition_failed` otherwise.
 */
export function precondition<T>(
  ifMatch: string | undefined,
  ...views: ((record: T) => object)[]
): Precondition<T> | undefined {
  if (ifMatch === undefined) return undefined;
  const wanted = splitEtags(ifMatch);
  return (current) => {
    if (wanted.includes('*') || views.some((view) => wanted.includes(etagOf(view(current))))) return;
    throw new PreconditionFailedError(
      'svc_precondition_failed',
      'The record was changed since it was read. Read it again.',
    );
  };
}
