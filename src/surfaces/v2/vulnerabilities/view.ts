import type { components } from '../../../../generated/v2.ts';
import type {
  Exposure,
  ExposureSummary,
  CopyrightNotice,
  SeverityNumbers,
  Vulnerability,
} from '../../../domains/vulnerabilities/index.ts';
import { SECOND, toIso } from '../../../shared/clock.ts';

type Schemas = components['schemas'];

export const exposureView =
  (now: number) =>
  (exposure: Exposure): Schemas['Exposure'] => ({
    id: exposure.id,
    site_id: exposure.site.id,
    site_url: exposure.site.url,
    site_name: exposure.site.name,
    vulnerability_id: exposure.vulnerabilityId,
    title: exposure.title,
    cve: exposure.cve,
    severity: exposure.severity,
    type: exposure.type,
    slug: exposure.slug,
    item: exposure.item,
    name: exposure.name,
    version: exposure.version,
    fixed_in: exposure.fixedIn,
    exposed_since: toIso(exposure.since),
    found_at: toIso(exposure.foundAt),
    disclosed_at: toIso(exposure.publishedAt),
    fix_known_at: toIso(exposure.fixKnownAt),
    offered_at: toIso(exposure.offeredAt),
    exposed_until: toIso(exposure.until),
    ending: exposure.ending,
    ended_by_version: exposure.endedByVersion,
    exposed_seconds: Math.max(0, Math.floor(((exposure.until ?? now) - exposure.since) / SECOND)),
  });

export const vulnerabilityView = (vulnerability: Vulnerability): Schemas['Vulnerability'] => ({
  id: vulnerability.id,
  feed: vulnerability.feed,
  external_id: vulnerability.externalId,
  title: vulnerability.title,
  description: vulnerability.description,
  severity: vulnerability.severity,
  cvss_score: vulnerability.cvssScore,
  cvss_vector: vulnerability.cvssVector || null,
  cve: vulnerability.cve,
  published_at: toIso(vulnerability.publishedAt),
  modified_at: toIso(vulnerability.modifiedAt),
  withdrawn_at: toIso(vulnerability.withdrawnAt),
  references: vulnerability.references,
  affected: vulnerability.affected.map(({ type, slug, name, ranges, patched }) => ({
    type,
    slug,
    name,
    versions: ranges.map(({ from, fromInclusive, to, toInclusive }) => ({
      from,
      from_inclusive: fromInclusive,
      to,
      to_inclusive: toInclusive,
    })),
    patched_versions: patched,
  })),
  sites_exposed: vulnerability.sitesExposed,
  sites_ended: vulnerability.sitesEnded,
  exposed_since: toIso(vulnerability.since),
  clocks: {
    sites: vulnerability.clocks.sites,
    disclosed_at: toIso(vulnerability.publishedAt),
    fix_known_at: toIso(vulnerability.clocks.fixKnownAt),
    first_offered_at: toIso(vulnerability.clocks.firstOfferedAt),
    first_patched_at: toIso(vulnerability.clocks.firstPatchedAt),
    half_patched_at: toIso(vulnerability.clocks.halfPatchedAt),
    last_patched_at: toIso(vulnerability.clocks.lastPatchedAt),
  },
});

export const copyrightView = ({ notice, license, licenseUrl }: CopyrightNotice): Schemas['VulnerabilityCopyright'] => ({
  notice,
  license,
  license_url: licenseUrl,
});

const severityNumbersView = ({ since, ...numbers }: SeverityNumbers): Schemas['SeverityNumbers'] => ({
  ...numbers,
  exposed_since: toIso(since),
});

export const summaryView = ({
  source,
  sites,
  since,
  severities,
  feeds,
}: ExposureSummary): Schemas['VulnerabilitySummary'] => ({
  source,
  sites_exposed: sites,
  exposed_since: toIso(since),
  severities: {
    critical: severityNumbersView(severities.critical),
    high: severityNumbersView(severities.high),
    medium: severityNumbersView(severities.medium),
    low: severityNumbersView(severities.low),
    none: severityNumbersView(severities.none),
  },
  feeds: feeds.map(({ kind, location, records, skipped, checkedAt, readAt, error, errorAt }) => ({
    ...{ kind, location, records, skipped, error },
    checked_at: toIso(checkedAt),
    read_at: toIso(readAt),
    error_at: toIso(errorAt),
  })),
});
