import type { SyncSection } from '../sites/index.ts';
import { backupMethodOf } from './backup-methods.ts';
import { BackupRepository, CHILD } from './backup-repository.ts';

/** Which of its plugins makes the backups of a site: the next sync asks for the last one by this name. */
export const backupMethodSection: SyncSection<string | null> = {
  name: 'backup-method',
  subjects: [],
  read: ({ plugins }) => plugins && backupMethodOf(plugins),
  write: (_trx, _site, method) => Promise.resolve({ backup_method: method }),
};

/** When that plugin made the last one; a site that tells of none says nothing new. */
export const lastBackupSection: SyncSection<number> = {
  name: 'last-backup',
  subjects: [],
  read: ({ lastBackupAt }) => lastBackupAt,
  // The clock of a site may be ahead of ours.
  write: (trx, site, takenAt, { now }) =>
    new BackupRepository(trx).put(CHILD, new Map([[site.id, Math.min(takenAt, now)]])),
};
