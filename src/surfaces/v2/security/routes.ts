import type { SecurityFlags } from '../../../domains/security/index.ts';
import type { RequiredServices } from '../../../service/services.ts';
import type { HandlersOf } from '../handlers.ts';
import { siteReferenceView } from '../sites/view.ts';

const UNKNOWN_CHECKS = {
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

export const routes = ({ security: { security } }: RequiredServices<'security'>): HandlersOf<'security'> => ({
  sites_security: async ({ site }) => {
    const data = { ...UNKNOWN_CHECKS, ...(await security.flagsOf(site.id)) };
    return { status: 200, body: { success: 1, data, site: siteReferenceView(site) } };
  },
});
