export { backupMethodOf, LIKELIEST_METHOD } from './backup-methods.ts';
export { Backups } from './backups.ts';
export type { BackupsServices } from './part.ts';
export type { KnownBackup } from './backup-repository.ts';
