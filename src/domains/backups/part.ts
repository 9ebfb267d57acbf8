import { part, type Part } from '../../part.ts';
import type { Platform } from '../../platform.ts';
import { backupMethodSection, lastBackupSection } from './backup-sections.ts';
import { Backups } from './backups.ts';
import type { BackupsServices } from './services.ts';

export function backupsPart({ knex }: Platform): Part<BackupsServices> {
  return part({
    name: 'backups',
    own: { backups: new Backups(knex) },
    sections: [backupMethodSection, lastBackupSection],
  });
}
