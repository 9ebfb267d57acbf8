export type { AccountPatch, AccountRecord, AccountsPreconditionInput } from './accounts.ts';
export { parseProviderCheckResult } from './backup-check.ts';
export type { ApiBackupsServices } from './part.ts';
