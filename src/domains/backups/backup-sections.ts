import { writeColumns, type SyncSection } from '../sites/index.ts';
import { backupMethodOf } from './backup-methods.ts';
import { BackupRepository, CHILD_SOURCE } from './backup-repository.ts';

/** Stores the method that makes the backups of a site. The next sync requests the last backup of this method. */
export const backupMethodSection: SyncSection<string | null> = {
  name: 'backup-method',
  subjects: [],
  read: ({ plugins }) => plugins && backupMethodOf(plugins),
  write: writeColumns((method) => ({ backup_method: method })),
};

export const lastBackupSection: SyncSection<number> = {
  name: 'last-backup',
  subjects: [],
  read: ({ lastBackupAt }) => lastBackupAt,
  // The clock of a site may be ahead of ours, so a time in the future counts as now.
  write: (trx, values) =>
    new BackupRepository(trx).put(
      CHILD_SOURCE,
      new Map(values.map(({ site, value: takenAt, now }) => [site.id, Math.min(takenAt, now)])),
    ),
};
