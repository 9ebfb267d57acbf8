import type { components } from '../../../../generated/v2.ts';
import type { AccountWithProvider } from '../../../domains/api-backups/index.ts';
import { toIso } from '../../../shared/clock.ts';

export const providerView = ({
  provider,
  ...account
}: AccountWithProvider): components['schemas']['BackupProvider'] => ({
  slug: account.slug,
  label: provider.label,
  enabled: account.enabled ? 1 : 0,
  url: account.url,
  username: account.username,
  company_id: account.companyId,
  secret_set: account.secretSet,
  last_checked: toIso(account.checkedAt),
  last_error: account.checkError,
});

export const providersView = (accounts: readonly AccountWithProvider[]): components['schemas']['BackupProviders'] => ({
  api_backups: Object.fromEntries(
    accounts.map((account) => [account.slug, providerView(account)]),
  ) as components['schemas']['BackupProviderMap'],
});
