import type { ChangedObject } from '../../shared/changed-object.ts';
import { SECOND } from '../../shared/clock.ts';
import type { DomainError } from '../../shared/errors.ts';
import type { ItemError, UpdateRollback } from '../../shared/item-error.ts';
import { truncate } from '../../shared/text.ts';
import type { PendingUpdate } from './update.ts';

type ErrorDetails = Pick<ItemError, 'code' | 'message' | 'reason' | 'rollback'>;

/** Cause of a rollback after an update that removed the old files and did not put the new ones in place. */
export const FILES_MISSING = 'Its files were missing after the update';

/** Returns a rollback that has begun. Its result is `failed` until it has ended. */
export const begunRollback = (versions: Pick<UpdateRollback, 'old_version' | 'new_version'>): UpdateRollback => ({
  ...{ result: 'failed', ...versions, probe: null, cause: null, file: null, line: null },
  ...{ broken_seconds: null, pin: null, left: [] },
});

/** Value of `broken_seconds` for a site that was broken: at least 1. */
export const brokenSecondsOf = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / SECOND));

export function guardFailure({ message, data: { reason } }: DomainError): ErrorDetails {
  const details = {
    code: 'svc_guard_failed',
    message: `The update was not sent, because its guard failed: ${message}`,
  };
  return { ...details, ...(typeof reason === 'string' && { reason }) } as ErrorDetails;
}

export function rollbackError(update: PendingUpdate, rollback: UpdateRollback): ErrorDetails {
  const isDone = rollback.result === 'done';
  return {
    code: isDone ? 'svc_rolled_back' : 'svc_rollback_failed',
    message: `${brokenSentence(update, rollback)} ${resultSentence(rollback)}`,
    rollback,
  };
}

export function rollbackEntry(update: PendingUpdate, rollback: UpdateRollback): [string, string, ChangedObject] {
  const { result, old_version: old, new_version: broken } = rollback;
  const isDone = result === 'done';
  return [
    `${update.type}.${isDone ? 'rolled_back' : 'rollback_failed'}`,
    `${brokenSentence(update, rollback)} ${resultSentence(rollback)}`,
    {
      name: update.name || update.slug,
      key: update.slug,
      before: { version: broken },
      ...(isDone && { after: { version: old } }),
    },
  ];
}

function brokenSentence({ type, name, slug }: PendingUpdate, rollback: UpdateRollback): string {
  const { new_version, probe, cause } = rollback;
  const item = `Version ${truncate(new_version, 64)} of the ${type} ${truncate(name || slug, 100)}`;
  if (probe !== null) return withCause(`${item} broke the site`, rollback);
  const failed = cause === FILES_MISSING ? 'was not installed' : 'could not be activated';
  return withCause(`${item} ${failed}`, rollback);
}

/** Ends a sentence with the cause and the place of the error, if they are known. */
export function withCause(broke: string, { cause, file, line }: UpdateRollback): string {
  if (cause === null) return `${broke}.`;
  const place = file === null ? '' : ` in ${truncate(file, 200)}${line === null ? '' : ` on line ${line}`}`;
  return `${broke}: ${truncate(cause, 200)}${place}.`;
}

function resultSentence({ result, old_version, left }: UpdateRollback): string {
  const old = truncate(old_version, 64);
  if (result === 'done') return `Version ${old} was put back.`;
  if (left.includes('new_version')) return `Version ${old} could not be put back.`;
  return left.includes('inactive_plugin')
    ? `Version ${old} was put back, but the plugin is inactive.`
    : `Version ${old} was put back, but the site does not work as before.`;
}
