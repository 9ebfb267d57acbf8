import type { components } from '../../../../generated/v2.ts';
import type { Needs } from '../../../services.ts';
import type { HandlersOf } from '../handlers.ts';
import { patchIn } from './input.ts';
import { providerView } from './view.ts';

type BySlug = components['schemas']['BackupProvidersBySlug'];

/** How the contract calls them. */
export const fieldNames = { companyId: 'company_id', apiKey: 'secrets.api_key' };

export const routes = ({ apiBackups: { accounts } }: Needs<'apiBackups'>): HandlersOf<'api-backups'> => ({
  api_backups_get: async () => {
    const providers = (await accounts.list()).map((account) => [account.slug, providerView(account)]);
    return { status: 200, body: { success: 1, data: { api_backups: Object.fromEntries(providers) as BySlug } } };
  },
  api_backups_edit: async ({ path, body, caller }) => {
    const data = providerView(await accounts.edit(path.api_slug, patchIn(body), caller.name));
    return { status: 200, body: { success: 1, message: 'The backup provider was saved.', data } };
  },
});
