import type { TlsProbeResult } from '../../outbound/outbound.ts';
import { DAY } from '../../shared/clock.ts';

const SSL_STATES = [
  'unknown',
  'valid',
  'expiring',
  'expired',
  'mismatch',
  'untrusted',
  'not_yet_valid',
  'unreachable',
  'no_tls',
] as const;
export type SslState = (typeof SSL_STATES)[number];

/** Faults other than invalid dates. */
export type SslFault = 'unreachable' | 'no_tls' | 'mismatch' | 'untrusted';

const SSL_WEAKNESSES = ['old_protocol', 'small_key', 'weak_signature'] as const;
export type SslWeakness = (typeof SSL_WEAKNESSES)[number];

/** Inputs of the state. Times are milliseconds since 1970. A failed check keeps the dates of the last certificate. */
export interface SslStateInput {
  isChecked: boolean;
  fault: SslFault | null;
  validFrom: number | null;
  validTo: number | null;
}

export interface SslStateRules {
  now: number;
  thresholdDays: number;
}

export function sslStateOf(
  { isChecked, fault, validFrom, validTo }: SslStateInput,
  { now, thresholdDays }: SslStateRules,
): SslState {
  if (!isChecked) return 'unknown';
  if (fault === 'unreachable' || fault === 'no_tls') return fault;
  if (validTo !== null && now > validTo) return 'expired';
  if (validFrom !== null && now < validFrom) return 'not_yet_valid';
  if (fault !== null) return fault;
  return validTo !== null && daysLeft(validTo, now) <= thresholdDays ? 'expiring' : 'valid';
}

export const isValidOrExpiring = (state: SslState): boolean => state === 'valid' || state === 'expiring';

export const daysLeft = (validTo: number, now: number): number => Math.floor((validTo - now) / DAY);

const OLD_PROTOCOLS: readonly (string | null)[] = ['SSLv3', 'TLSv1', 'TLSv1.1'];
const WEAK_SIGNATURE = /md[245]|sha-?1(?!\d)/i;
const SMALLEST_RSA = 2048;
const SMALLEST_CURVE = 224;

export function sslWeaknessesOf({ protocol, certificate, signatureAlgorithms }: TlsProbeResult): SslWeakness[] {
  const { keyType, keyBits } = certificate;
  const smallest = /^(rsa|dsa|dh)/.test(keyType ?? '') ? SMALLEST_RSA : SMALLEST_CURVE;
  const is: Record<SslWeakness, boolean> = {
    old_protocol: OLD_PROTOCOLS.includes(protocol),
    small_key: keyBits !== null && keyBits < smallest,
    weak_signature: signatureAlgorithms.some((name) => WEAK_SIGNATURE.test(name)),
  };
  return SSL_WEAKNESSES.filter((weakness) => is[weakness]);
}

/**
 * Returns the fault of a connection, apart from the dates of its certificate. The handshake takes the newest TLS
 * version that the server supports, so an old version means that browsers cannot connect.
 */
export function certificateFaultOf(probe: TlsProbeResult): 'mismatch' | 'untrusted' | null {
  if (!probe.coversHost) return 'mismatch';
  return isTrusted(probe) && !OLD_PROTOCOLS.includes(probe.protocol) ? null : 'untrusted';
}

/** Weak signatures can be forged and weak keys calculated, so a chain with one is not trusted. */
export const isTrusted = (probe: TlsProbeResult): boolean =>
  probe.chainFault === null && sslWeaknessesOf(probe).every((weakness) => weakness === 'old_protocol');
