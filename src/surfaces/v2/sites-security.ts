import type { operations } from '../../../generated/v2.ts';
import type { SecurityFlags, SecurityReadModel, SiteReferences } from '../../domains/sites/index.ts';
import type { SomeHandlers } from '../../http/operation.ts';
import { siteReferenceView } from './sites.view.ts';

export interface SitesSecurityParts {
  references: SiteReferences;
  security: SecurityReadModel;
}

const NEVER_TOLD = {
  db_reporting: null,
  php_reporting: null,
  wp_uptodate: null,
  phpversion_matched: null,
  sslprotocol: null,
  debug_disabled: null,
  sec_outdated_plugins: null,
  sec_inactive_plugins: null,
  sec_outdated_themes: null,
  sec_inactive_themes: null,
} satisfies Record<keyof SecurityFlags, null>;

/** What the child's own checks found at the last sync. */
export const sitesSecurity = ({
  references,
  security,
}: SitesSecurityParts): SomeHandlers<operations, 'sites_security'> => ({
  sites_security: async ({ path }) => {
    const site = await references.one(path.id_or_domain);
    const data = { ...NEVER_TOLD, ...(await security.flagsOf(site.id)) };
    return { status: 200, body: { success: 1, data, site: siteReferenceView(site) } };
  },
});
