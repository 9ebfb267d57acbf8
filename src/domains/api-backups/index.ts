export { Accounts, type AccountPatch, type AccountRecord, type SeenAccounts } from './accounts.ts';
export { checkedProvider, type CheckedProvider } from './backup-check.ts';
export { PROVIDER_SLUGS, type ProviderSlug } from './provider.ts';
export type { ApiBackupsServices } from './services.ts';
