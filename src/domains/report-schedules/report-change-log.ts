import type { Knex } from 'knex';
import type { ChangedObject } from '../../shared/changed-object.ts';
import type { ChangeLog } from '../changes/index.ts';

interface LoggedReport {
  id: number;
  name: string;
  siteId: number | null;
}

export type ReportChangeLog = (
  trx: Knex.Transaction,
  about: LoggedReport,
  type: string,
  description: string,
  actor: string,
  values?: Pick<ChangedObject, 'before' | 'after'>,
) => Promise<void>;

export const createReportChangeLog =
  (changeLog: ChangeLog): ReportChangeLog =>
  (trx, { id, name, siteId }, type, description, actor, values = {}) =>
    changeLog.append(trx, { siteId, type, description, actor, thing: { name, key: id, ...values } });
