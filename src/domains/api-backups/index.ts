export type { AccountPatch, AccountWithProvider, AccountsPreconditionInput } from './accounts.ts';
export { parseBackupCheckCounts } from './backup-check.ts';
export type { ApiBackupsServices } from './part.ts';
