import 'reflect-metadata';
import { randomBytes, webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
  type X509Certificate,
} from '@peculiar/x509';
import { DAY } from '../../src/shared/clock.ts';

/** A certificate with its key and its chain. */
export interface IssuedCertificate {
  certificate: X509Certificate;
  keys: webcrypto.CryptoKeyPair;
  /** Signature algorithm of the key. */
  algorithm: (typeof KEYS)[Key];
  /** The certificate in PEM format. */
  cert: string;
  key: string;
}

const ELLIPTIC = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const RSA = { name: 'RSASSA-PKCS1-v1_5', publicExponent: new Uint8Array([1, 0, 1]) };

/** Types of keys with their signature algorithm. Larger keys take seconds to generate. */
export const KEYS = {
  elliptic: ELLIPTIC,
  smallRsa: { ...RSA, modulusLength: 1024, hash: 'SHA-256' },
  rsaWithSha1: { ...RSA, modulusLength: 1024, hash: 'SHA-1' },
};
export type Key = keyof typeof KEYS;

export interface CertificateOptions {
  /** Subject in the form `CN=shop.test, O=Shop`. */
  subject?: string;
  /** Host names and IP addresses. Without one, the certificate has no subjectAltName. */
  names?: readonly string[];
  /** Null makes a self-signed certificate. */
  issuer?: IssuedCertificate | null;
  isAuthority?: boolean;
  from?: number;
  to?: number;
  key?: Key;
  /** Keys of an earlier certificate, for a renewal. */
  keys?: webcrypto.CryptoKeyPair;
}

const isAddress = (name: string): boolean => /^[\d.]+$|^[\da-f:]+$/i.test(name);

/** Makes a certificate. By default it is self-signed, for 127.0.0.1 and valid for 90 days. */
export async function issueCertificate(options: CertificateOptions = {}): Promise<IssuedCertificate> {
  const { subject = 'CN=shop.test', names = ['127.0.0.1'], issuer = null, isAuthority = false } = options;
  const { from = Date.now() - DAY, to = Date.now() + 90 * DAY, key = 'elliptic' } = options;
  const keys = options.keys ?? (await webcrypto.subtle.generateKey(KEYS[key], true, ['sign', 'verify']));
  const alternatives = names.map((value) => ({ type: isAddress(value) ? ('ip' as const) : ('dns' as const), value }));
  const certificate = await X509CertificateGenerator.create({
    serialNumber: `0${randomBytes(8).toString('hex')}`,
    subject,
    issuer: issuer?.certificate.subject ?? subject,
    notBefore: new Date(from),
    notAfter: new Date(to),
    publicKey: keys.publicKey,
    signingKey: (issuer?.keys ?? keys).privateKey,
    signingAlgorithm: issuer?.algorithm ?? KEYS[key],
    extensions: [
      new BasicConstraintsExtension(isAuthority, undefined, true),
      ...(isAuthority || names.length === 0 ? [] : [new SubjectAlternativeNameExtension(alternatives)]),
    ],
  });
  const exported = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return {
    certificate,
    keys,
    algorithm: KEYS[key],
    cert: `${certificate.toString('pem')}\n`,
    key: PemConverter.encode(exported, 'PRIVATE KEY'),
  };
}

/** A root authority with an intermediate one. A server sends its own certificate and the intermediate one. */
export interface CertificateAuthority {
  root: IssuedCertificate;
  issuing: IssuedCertificate;
  /** Makes a certificate with the chain that a server sends. */
  issue: (options?: CertificateOptions) => Promise<IssuedCertificate>;
}

export async function createAuthority(
  name: string,
  { key = 'elliptic', ends = Infinity }: { key?: Key; ends?: number } = {},
): Promise<CertificateAuthority> {
  const root = await issueCertificate({ subject: `CN=${name} Root, O=${name}, C=PT`, isAuthority: true, key });
  const subject = `CN=${name} Issuing, O=${name}, C=PT`;
  const to = Math.min(Date.now() + 90 * DAY, ends);
  const issuing = await issueCertificate({ subject, isAuthority: true, issuer: root, key, from: to - 180 * DAY, to });
  return {
    root,
    issuing,
    issue: async (options) => {
      const issued = await issueCertificate({ ...options, issuer: issuing });
      return { ...issued, cert: issued.cert + issuing.cert };
    },
  };
}
