import { definePart, type OwnOf } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import { backupMethodSection, lastBackupSection } from './backup-sections.ts';
import { BackupService } from './backup-service.ts';

export function backupsPart({ knex }: Platform) {
  return definePart({
    name: 'backups',
    own: { backups: new BackupService(knex) },
    sections: [backupMethodSection, lastBackupSection],
  });
}

export type BackupsServices = OwnOf<typeof backupsPart>;
