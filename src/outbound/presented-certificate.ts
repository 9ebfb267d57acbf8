import { createHash, type X509Certificate } from 'node:crypto';
import type { PeerCertificate } from 'node:tls';
import { truncate } from '../shared/text.ts';
import { publicKeyInfoIn } from './der.ts';
import { signatureAlgorithmOf } from './signature-algorithm.ts';
import type { DistinguishedName, PresentedCertificate } from './outbound.ts';

const LONGEST_TEXT = 200;
const LONGEST_NAME = 253;
const MOST_NAMES = 250;

/** Reads an untrusted certificate. OpenSSL has parsed it; the length of its texts and lists is limited here. */
export function readCertificate(certificate: X509Certificate, legacy: PeerCertificate): PresentedCertificate {
  const key = publicKeyOf(certificate);
  return {
    subject: toDistinguishedName(legacy.subject),
    issuer: toDistinguishedName(legacy.issuer),
    altNames: altNamesIn(certificate.subjectAltName),
    serialNumber: certificate.serialNumber.slice(0, LONGEST_TEXT),
    fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    keyFingerprint: key.fingerprint,
    signatureAlgorithm: signatureAlgorithmOf(certificate.raw),
    keyType: key.type,
    keyBits: key.bits ?? legacy.bits ?? null,
    validFrom: parseCertificateDate(certificate.validFrom),
    validTo: parseCertificateDate(certificate.validTo),
    isSelfSigned: isSelfSigned(certificate),
  };
}

export function isSelfSigned(certificate: X509Certificate): boolean {
  try {
    return certificate.issuer === certificate.subject && certificate.verify(certificate.publicKey);
  } catch {
    return false;
  }
}

/** Sizes of key types for which Node reports no size. */
const BITS: Readonly<Record<string, number>> = { ed25519: 256, ed448: 456 };

/**
 * If OpenSSL does not know the key type, returns nulls and the fingerprint of the certificate instead of that of the
 * key, so that the rest of the certificate can still be reported.
 */
function publicKeyOf(certificate: X509Certificate): { type: string | null; bits: number | null; fingerprint: string } {
  try {
    const { asymmetricKeyType: type = null, asymmetricKeyDetails: details } = certificate.publicKey;
    // Hashes the encoded bytes: having OpenSSL encode the key again takes as long as all other steps.
    const fingerprint = createHash('sha256').update(publicKeyInfoIn(certificate.raw)).digest('hex');
    return { type, bits: details?.modulusLength ?? BITS[type ?? ''] ?? null, fingerprint };
  } catch {
    return { type: null, bits: null, fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase() };
  }
}

const TEXTS = ['CN', 'O', 'OU', 'L', 'ST', 'C'] as const;

function toDistinguishedName(name: object | undefined): DistinguishedName {
  const parts = (name ?? {}) as Record<string, unknown>;
  const entries = TEXTS.map((part) => [part, namePartText(parts[part])]);
  return Object.fromEntries(entries) as Record<(typeof TEXTS)[number], string | null>;
}

function namePartText(value: unknown): string | null {
  const text = Array.isArray(value) ? value.join(', ') : value;
  return typeof text === 'string' && text !== '' ? cleanCertificateText(text, LONGEST_TEXT) : null;
}

const cleanCertificateText = (text: string, most: number): string =>
  truncate(text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ''), most);

/**
 * Matches one name in Node's text `DNS:a.example, IP Address:192.0.2.1`. Node writes an ambiguous name as a JSON
 * string.
 */
const ALT_NAME = /(DNS|IP Address):("(?:[^"\\]|\\.)*"|[^,]*)(?:, |$)/g;

function altNamesIn(text = ''): string[] {
  const names: string[] = [];
  for (const [, , name = ''] of text.matchAll(ALT_NAME)) {
    if (names.length === MOST_NAMES) break;
    names.push(cleanCertificateText(name.startsWith('"') ? unquoted(name) : name, LONGEST_NAME));
  }
  return names;
}

function unquoted(name: string): string {
  try {
    return String(JSON.parse(name));
  } catch {
    return name;
  }
}

function parseCertificateDate(text: string): number | null {
  const moment = Date.parse(text);
  return Number.isNaN(moment) ? null : moment;
}
