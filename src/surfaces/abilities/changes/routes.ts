import type { Needs } from '../../../services.ts';
import type { HandlersOf } from '../handlers.ts';
import { changesView } from './view.ts';

/** The change log of a site. */
export const routes = ({
  sites: { references },
  changes: { changes },
}: Needs<'sites' | 'changes'>): HandlersOf<'changes'> => ({
  'get-site-changes-v1': async ({ site_id_or_domain, type, page, per_page }) => {
    const site = await references.one(site_id_or_domain);
    const filter = type === undefined ? {} : { type };
    return changesView(site.id, await changes.ofSite(site.id, filter, { page, perPage: per_page }));
  },
});
