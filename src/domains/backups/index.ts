export { backupMethodOf, FIRST_SYNC_BACKUP_METHOD } from './backup-methods.ts';
export { BackupService } from './backup-service.ts';
export type { BackupsServices } from './part.ts';
export type { KnownBackup } from './backup-repository.ts';
