import { digestOf } from '../shared/digest.ts';
import { PreconditionFailedError } from '../shared/errors.ts';
import type { Precondition } from '../shared/precondition.ts';

/** A strong tag of a record as it is shown; whatever of it differs, the tag does. */
export const etagOf = (record: object): string => `"${digestOf(JSON.stringify(record))}"`;

const tagsOf = (header: string): string[] => header.split(',').map((tag) => tag.trim());

/** `If-None-Match` compares weakly: the caller asks whether what it has is good enough. */
export const isNotModified = (header: string | undefined, etag: string): boolean =>
  header !== undefined && tagsOf(header).some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag);

/**
 * `If-Match` as a precondition of an edit; undefined when the caller sent none. The edit runs it while it holds the
 * record, which callers may have read in several views. Throws `svc_precondition_failed`.
 */
export function precondition<T>(
  ifMatch: string | undefined,
  ...views: ((record: T) => object)[]
): Precondition<T> | undefined {
  if (ifMatch === undefined) return undefined;
  const wanted = tagsOf(ifMatch);
  return (current) => {
    if (wanted.includes('*') || views.some((view) => wanted.includes(etagOf(view(current))))) return;
    throw new PreconditionFailedError(
      'svc_precondition_failed',
      'The record was changed since it was read; read it again.',
    );
  };
}
