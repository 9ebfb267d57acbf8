import type { operations } from '../../../generated/abilities.ts';
import type { ChangeReadModel } from '../../domains/changes/index.ts';
import type { SiteReferences } from '../../domains/sites/index.ts';
import type { SomeHandlers } from '../../http/operation.ts';
import { changesView } from './changes.view.ts';

export interface ChangesParts {
  references: SiteReferences;
  changes: ChangeReadModel;
}

/** The change log of a site. */
export const changes = ({ references, changes }: ChangesParts): SomeHandlers<operations, 'get-site-changes-v1'> => ({
  'get-site-changes-v1': async ({ site_id_or_domain, type, page, per_page }) => {
    const site = await references.one(site_id_or_domain);
    const filter = type === undefined ? {} : { type };
    return changesView(site.id, await changes.ofSite(site.id, filter, { page, perPage: per_page }));
  },
});
