import { decodeChangesPage, decodeStats, lastBackupIn } from '../answers/stats.ts';
import type { ChildLink, SyncCalls } from '../child-site.ts';
import { asObject } from '../answers/values.ts';
import { notUnderstood } from '../child-errors.ts';
import type { Fields } from '../payload.ts';
import type { SignedCaller } from '../signed-call.ts';
import { backupFields, changesFields, syncFields } from './requests.ts';

export function createSyncCalls(caller: SignedCaller): SyncCalls {
  const send = (link: ChildLink, fields: Fields): Promise<unknown> =>
    caller.signed(link, { kind: 'sync', functionName: 'stats', fields, reads: true });

  return {
    async stats(link, request) {
      const stats = decodeStats(await send(link, syncFields(link.server, request)), request);
      if (!stats) throw notUnderstood(false);
      return stats;
    },

    async changes(link, window, limit) {
      const page = decodeChangesPage(await send(link, changesFields(window, limit)), limit);
      if (!page) throw notUnderstood(false);
      return page;
    },

    async lastBackup(link, method) {
      const stats = asObject(await send(link, backupFields(method)));
      if (!stats) throw notUnderstood(false);
      return lastBackupIn(stats).lastBackupAt ?? null;
    },
  };
}
