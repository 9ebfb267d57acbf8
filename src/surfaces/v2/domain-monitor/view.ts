import type { components } from '../../../../generated/v2.ts';
import {
  toUnicodeDomain,
  type SiteDomainCheckResult,
  type DomainProfile,
} from '../../../domains/domain-monitor/index.ts';
import { toIso } from '../../../shared/clock.ts';

type Schemas = components['schemas'];

export const profileView = (profile: DomainProfile): Schemas['DomainProfile'] => {
  const { stored: known, domainName, facts } = profile;
  const { id, name, url } = known.site;
  return {
    id,
    site_id: id,
    name,
    url,
    domain_name: domainName,
    domain_name_unicode: domainName === null ? null : toUnicodeDomain(domainName),
    status: profile.state,
    source: profile.source,
    registrar: facts.registrar,
    registrar_iana_id: facts.registrarIanaId,
    registrar_url: facts.registrarUrl,
    registrar_abuse_contact_email: facts.abuseEmail,
    registrar_abuse_contact_phone: facts.abusePhone,
    registrar_whois_server: facts.registrarWhoisServer,
    registry_domain_id: facts.registryDomainId,
    creation_date: toIso(facts.createdAt),
    updated_date: toIso(facts.updatedAt),
    expiry_date: toIso(facts.expiresAt),
    days_left: profile.daysLeft,
    domain_status: [...facts.statuses],
    name_servers: [...facts.nameServers],
    dnssec: facts.dnssec,
    error: profile.error,
    notify_threshold_days: profile.thresholdDays,
    own_threshold: known.watch?.thresholdDays != null,
    last_check: toIso(profile.checkedAt),
    next_check: toIso(profile.nextCheckAt),
  };
};

export const CHECK_MESSAGES: Record<SiteDomainCheckResult['kind'], string> = {
  asked: 'The registry was queried.',
  limited: 'The registry was not queried, because it limits the number of requests.',
  kept: 'The result of the last 24 hours was used. Send force=true to query the registry again.',
  busy: 'Another lookup of the domain has not ended yet, so the stored data is returned.',
  manual: 'The data of the domain was entered manually, so no registry was queried.',
  none: 'The URL of the site has no registrable domain.',
};
