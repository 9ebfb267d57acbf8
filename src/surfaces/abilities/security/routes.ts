import type { RequiredServices } from '../../../service/services.ts';
import type { HandlersOf } from '../handlers.ts';
import { securityView } from './view.ts';

export const routes = ({ security: { security } }: RequiredServices<'security'>): HandlersOf<'security'> => ({
  'get-site-security-v1': async (_input, { site }) => securityView(site, await security.issuesOf(site.id)),
});
