import { decodeChangesPage, decodeStats, lastBackupIn, reportDigest } from '../answers/stats.ts';
import type { ChildLink, ChildStats, SyncCalls, SyncRequest } from '../child-site.ts';
import { asObject } from '../answers/json-values.ts';
import { unexpectedAnswerError } from '../child-errors.ts';
import type { FormFields } from '../form-encoding.ts';
import type { SignedCaller } from '../signed-call.ts';
import { lastBackupFields, changesSyncFields, syncFields } from './request-fields.ts';

export function createSyncCalls(caller: SignedCaller): SyncCalls {
  const send = (link: ChildLink, fields: FormFields, isKnown?: (json: string) => boolean): Promise<unknown> =>
    caller.signed(link, { kind: 'sync', functionName: 'stats', fields, reads: true, isKnown });

  return {
    async stats(link, request) {
      return statsIn(await send(link, syncFields(link.server, request)), request);
    },

    async report(link, request, isKnown) {
      const sent: { digest: string; known?: string } = { digest: '' };
      const answer = await send(link, syncFields(link.server, request), (json) => {
        sent.digest = reportDigest(json);
        if (!isKnown(sent.digest)) return false;
        sent.known = json;
        return true;
      });
      const { digest, known } = sent;
      const read = (): ChildStats => statsIn(known === undefined ? answer : JSON.parse(known), request);
      return { digest, isKnown: known !== undefined, read };
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

function statsIn(answer: unknown, request: SyncRequest): ChildStats {
  const stats = decodeStats(answer, request);
  if (!stats) throw unexpectedAnswerError(false);
  return stats;
}
