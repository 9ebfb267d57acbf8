import { createHash, type X509Certificate } from 'node:crypto';
import type { PeerCertificate } from 'node:tls';
import { cut } from '../shared/text.ts';
import { publicKeyInfoIn } from './der.ts';
import { signatureAlgorithmOf } from './signature-algorithm.ts';
import type { CertificateName, ShownCertificate } from './outbound.ts';

const LONGEST_TEXT = 200;
/** A host name has no more characters. */
const LONGEST_NAME = 253;
const MOST_NAMES = 250;

/** Reads a certificate of somebody else: OpenSSL has parsed it, and whatever else it says is bounded here. */
export function shownCertificate(certificate: X509Certificate, legacy: PeerCertificate): ShownCertificate {
  const key = publicKeyOf(certificate);
  return {
    subject: nameOf(legacy.subject),
    issuer: nameOf(legacy.issuer),
    altNames: altNamesIn(certificate.subjectAltName),
    serialNumber: certificate.serialNumber.slice(0, LONGEST_TEXT),
    fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    keyFingerprint: key.fingerprint,
    signatureAlgorithm: signatureAlgorithmOf(certificate.raw),
    keyType: key.type,
    keyBits: key.bits ?? legacy.bits ?? null,
    validFrom: momentOf(certificate.validFrom),
    validTo: momentOf(certificate.validTo),
    isSelfSigned: isSelfSigned(certificate),
  };
}

/** Signed with its own key. */
export function isSelfSigned(certificate: X509Certificate): boolean {
  try {
    return certificate.issuer === certificate.subject && certificate.verify(certificate.publicKey);
  } catch {
    return false;
  }
}

/** Sizes of the keys that do not say theirs. */
const BITS: Readonly<Record<string, number>> = { ed25519: 256, ed448: 456 };

/** A kind of key that this OpenSSL does not know is no reason to see nothing of the certificate. */
function publicKeyOf(certificate: X509Certificate): { type: string | null; bits: number | null; fingerprint: string } {
  try {
    const { asymmetricKeyType: type = null, asymmetricKeyDetails: details } = certificate.publicKey;
    // As it stands in the certificate: to have OpenSSL write it anew costs as much as all the rest of the reading.
    const fingerprint = createHash('sha256').update(publicKeyInfoIn(certificate.raw)).digest('hex');
    return { type, bits: details?.modulusLength ?? BITS[type ?? ''] ?? null, fingerprint };
  } catch {
    return { type: null, bits: null, fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase() };
  }
}

const TEXTS = ['CN', 'O', 'OU', 'L', 'ST', 'C'] as const;

function nameOf(name: object | undefined): CertificateName {
  const parts = (name ?? {}) as Record<string, unknown>;
  const entries = TEXTS.map((part) => [part, textOf(parts[part])]);
  return Object.fromEntries(entries) as Record<(typeof TEXTS)[number], string | null>;
}

/** A part that is written several times is shown as one. */
function textOf(value: unknown): string | null {
  const text = Array.isArray(value) ? value.join(', ') : value;
  return typeof text === 'string' && text !== '' ? plain(text, LONGEST_TEXT) : null;
}

const plain = (text: string, most: number): string => cut(text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ''), most);

/**
 * Node writes `DNS:a.example, IP Address:192.0.2.1`, and a name that would be
 * ambiguous as a text of JSON.
 */
const ALT_NAME = /(DNS|IP Address):("(?:[^"\\]|\\.)*"|[^,]*)(?:, |$)/g;

function altNamesIn(text = ''): string[] {
  const names: string[] = [];
  for (const [, , name = ''] of text.matchAll(ALT_NAME)) {
    if (names.length === MOST_NAMES) break;
    names.push(plain(name.startsWith('"') ? unquoted(name) : name, LONGEST_NAME));
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

function momentOf(text: string): number | null {
  const moment = Date.parse(text);
  return Number.isNaN(moment) ? null : moment;
}
