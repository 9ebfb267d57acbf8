import type { components } from '../../../../generated/abilities.ts';
import type { SecurityIssue } from '../../../domains/security/index.ts';
import type { SiteDetail } from '../../../domains/sites/index.ts';
import { toDate } from '../../../shared/clock.ts';

type Schemas = components['schemas'];

const sslView = (ssl: SiteDetail['ssl']): Schemas['CertificateStatus'] => ({
  valid: ssl?.valid ?? false,
  expires: ssl?.expiresAt == null ? null : toDate(ssl.expiresAt),
});

export const securityView = (
  { id, url, ssl }: SiteDetail,
  issues: readonly SecurityIssue[],
): Schemas['GetSiteSecurityOutput'] => ({
  site_id: id,
  site_url: url,
  security_issues: issues.map(({ type, severity, message }) => ({ type, severity, message })),
  ssl_status: sslView(ssl),
});
