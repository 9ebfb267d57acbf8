import { decodeChangesPage, decodeStats, lastBackupIn } from '../answers/stats.ts';
import type { ChildLink, SyncCalls } from '../child-site.ts';
import { asObject } from '../answers/json-values.ts';
import { unexpectedAnswerError } from '../child-errors.ts';
import type { FormFields } from '../form-encoding.ts';
import type { SignedCaller } from '../signed-call.ts';
import { lastBackupFields, changesSyncFields, syncFields } from './request-fields.ts';

export function createSyncCalls(caller: SignedCaller): SyncCalls {
  const send = (link: ChildLink, fields: FormFields): Promise<unknown> =>
    caller.signed(link, { kind: 'sync', functionName: 'stats', fields, reads: true });

  return {
    async stats(link, request) {
      const stats = decodeStats(await send(link, syncFields(link.server, request)), request);
      if (!stats) throw unexpectedAnswerError(false);
      return stats;
    },

    async changes(link, window, limit) {
      const page = decodeChangesPage(await send(link, changesSyncFields(window, limit)), limit);
      if (!page) throw unexpectedAnswerError(false);
      return page;
    },

    async lastBackup(link, method) {
      const stats = asObject(await send(link, lastBackupFields(method)));
      if (!stats) throw unexpectedAnswerError(false);
      return lastBackupIn(stats).lastBackupAt ?? null;
    },
  };
}
