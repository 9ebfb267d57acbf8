import type { RequiredServices } from '../../../service/services.ts';
import type { HandlersOf } from '../handlers.ts';
import { securityView } from './view.ts';

export const routes = ({
  sites: { sites },
  security: { security },
}: RequiredServices<'sites' | 'security'>): HandlersOf<'security'> => ({
  'get-site-security-v1': async (_input, { site: { id } }) =>
    securityView(await sites.get(id), await security.issuesOf(id)),
});
