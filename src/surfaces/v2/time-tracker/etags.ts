import { etagOf } from '../../../http/etags.ts';
import { PreconditionFailedError } from '../../../shared/errors.ts';
import type { Precondition } from '../../../shared/precondition.ts';

interface Revised {
  revision: number;
}

/**
 * A tag in two parts: what is shown, and how often the record was written. A timer that runs shows more seconds each
 * second, and a bucket hangs on all of its tasks, without anybody having written them.
 */
export const tagOf = (shown: object, { revision }: Revised): string => etagOf(shown).replace(/"$/, `.${revision}"`);

/** `If-Match` holds as long as nobody has written the record. Throws `svc_precondition_failed`. */
export function unwritten(ifMatch: string | undefined): Precondition<Revised> | undefined {
  if (ifMatch === undefined) return undefined;
  const tags = ifMatch.split(',').map((tag) => tag.trim());
  return ({ revision }) => {
    if (tags.some((tag) => tag === '*' || new RegExp(`^"[\\w-]{22}\\.${revision}"$`).test(tag))) return;
    throw new PreconditionFailedError(
      'svc_precondition_failed',
      'The record was changed since it was read; read it again.',
    );
  };
}
