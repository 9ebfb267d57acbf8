import type { AccountsPreconditionInput } from '../../../domains/api-backups/index.ts';
import { etagOf, precondition } from '../../../http/etags.ts';
import type { RequiredServices } from '../../../service/services.ts';
import type { HandlersOf } from '../handlers.ts';
import { accountPatchOf } from './input.ts';
import { providersView, providerView } from './view.ts';

export const fieldNames = { companyId: 'company_id', apiKey: 'secrets.api_key' };

const accountsPrecondition = (ifMatch: string | undefined) =>
  precondition<AccountsPreconditionInput>(
    ifMatch,
    ({ edited }) => providerView(edited),
    ({ all }) => providersView(all),
  );

export const routes = ({ apiBackups: { accounts } }: RequiredServices<'apiBackups'>): HandlersOf<'api-backups'> => ({
  api_backups_get: async () => {
    const data = providersView(await accounts.list());
    return { status: 200, etag: etagOf(data), body: { success: 1, data } };
  },
  api_backups_edit: async ({ path, body, caller, ifMatch }) => {
    const data = providerView(
      await accounts.edit(path.api_slug, accountPatchOf(body), caller.name, accountsPrecondition(ifMatch)),
    );
    return { status: 200, etag: etagOf(data), body: { success: 1, message: 'The backup provider was saved.', data } };
  },
});
