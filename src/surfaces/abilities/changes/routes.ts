import type { RequiredServices } from '../../../service/services.ts';
import type { HandlersOf } from '../handlers.ts';
import { changesView } from './view.ts';

export const routes = ({ changes: { changes } }: RequiredServices<'changes'>): HandlersOf<'changes'> => ({
  'get-site-changes-v1': async ({ type, page, per_page }, { caller, site }) => {
    const filter = type === undefined ? {} : { type };
    return changesView(site.id, await changes.ofSite(caller.sites, site.id, filter, { page, perPage: per_page }));
  },
});
