import type { Knex } from 'knex';
import type { ChangedObject } from '../../shared/changed-object.ts';
import type { ChangeLog } from '../changes/index.ts';

interface Logged {
  id: number;
  name: string;
  siteId: number | null;
}

export type ReportLog = (
  trx: Knex.Transaction,
  about: Logged,
  type: string,
  description: string,
  actor: string,
  values?: Pick<ChangedObject, 'before' | 'after'>,
) => Promise<void>;

export const reportLog =
  (changeLog: ChangeLog): ReportLog =>
  (trx, { id, name, siteId }, type, description, actor, values = {}) =>
    changeLog.append(trx, { siteId, type, description, actor, thing: { name, key: id, ...values } });
