import type { components } from '../../../../generated/v2.ts';
import {
  daysLeft,
  isValidOrExpiring,
  type SeenCertificate,
  type SslRecord,
} from '../../../domains/ssl-monitor/index.ts';
import { toIso } from '../../../shared/clock.ts';

type Schemas = components['schemas'];
type Certificate = SeenCertificate['certificate'];

const HTTPS = 443;
const HTTP = 80;

export function sslStatusView(record: SslRecord, nextCheckAt: number | null): Schemas['SslStatus'] {
  const { site, monitor, certificate, state, thresholdDays, now } = record;
  const url = new URL(site.url);
  return {
    id: site.id,
    site_id: site.id,
    name: site.name,
    url: site.url,
    host: url.hostname,
    port: url.port === '' ? (url.protocol === 'https:' ? HTTPS : HTTP) : Number(url.port),
    status: state,
    valid: isValidOrExpiring(state),
    ...(certificate ? certificateView(certificate) : NO_CERTIFICATE),
    issuer_o: certificate?.issuer.O ?? null,
    issuer_cn: certificate?.issuer.CN ?? null,
    days_left: certificate?.validTo == null ? null : daysLeft(certificate.validTo, now),
    protocol: monitor.protocol,
    cipher: monitor.cipher,
    chain_length: monitor.chainLength,
    weaknesses: [...monitor.weaknesses],
    revocation_checked: false,
    error: monitor.error,
    notify_threshold_days: thresholdDays,
    own_threshold: monitor.thresholdDays !== null,
    last_check: toIso(monitor.lastCheckAt),
    next_check: toIso(nextCheckAt),
  };
}

/** `current` is the fingerprint of the certificate in the site's last check. */
export const seenCertificateView =
  (current: string | null) =>
  ({ certificate, changed, firstSeenAt, lastSeenAt }: SeenCertificate): Schemas['SeenCertificate'] => ({
    ...certificateView(certificate),
    current: certificate.fingerprint === current,
    changed: [...changed],
    first_seen: toIso(firstSeenAt),
    last_seen: toIso(lastSeenAt),
  });

const certificateView = (certificate: Certificate) => ({
  common_name: certificate.subject.CN,
  subject: certificate.subject,
  alt_names: certificate.altNames,
  issuer: { CN: certificate.issuer.CN, O: certificate.issuer.O, C: certificate.issuer.C },
  serial_number: certificate.serialNumber,
  fingerprint_sha256: certificate.fingerprint,
  signature_algorithm: certificate.signatureAlgorithm,
  key_type: certificate.keyType,
  key_bits: certificate.keyBits,
  valid_from: toIso(certificate.validFrom),
  valid_to: toIso(certificate.validTo),
  self_signed: certificate.isSelfSigned,
});

const NO_CERTIFICATE = {
  common_name: null,
  subject: null,
  alt_names: [],
  issuer: null,
  serial_number: null,
  fingerprint_sha256: null,
  signature_algorithm: null,
  key_type: null,
  key_bits: null,
  valid_from: null,
  valid_to: null,
  self_signed: false,
};
