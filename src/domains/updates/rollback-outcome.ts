import type { ChangedObject } from '../../shared/changed-object.ts';
import type { DomainError, ItemError, UpdateRollback } from '../../shared/errors.ts';
import { truncate } from '../../shared/text.ts';
import type { PendingUpdate } from './update.ts';

type ErrorDetails = Pick<ItemError, 'code' | 'message' | 'reason' | 'rollback'>;

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

/** Returns the type, the description and the object of the change log entry. */
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

function brokenSentence(
  { type, name, slug }: PendingUpdate,
  { new_version, probe, cause, file, line }: UpdateRollback,
) {
  const item = `Version ${truncate(new_version, 64)} of the ${type} ${truncate(name || slug, 100)}`;
  const broke = probe === null ? `${item} could not be activated` : `${item} broke the site`;
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
