export type { AccountPatch, AccountRecord, PreconditionAccounts } from './accounts.ts';
export { backupCheckResult } from './backup-check.ts';
export type { ApiBackupsServices } from './part.ts';
