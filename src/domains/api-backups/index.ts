export type { AccountPatch, AccountRecord, SeenAccounts } from './accounts.ts';
export { checkedProvider } from './backup-check.ts';
export type { ApiBackupsServices } from './part.ts';
