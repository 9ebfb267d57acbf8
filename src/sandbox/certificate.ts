import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import net from 'node:net';

/**
 * A self-signed X.509 v3 certificate with subject alternative names, encoded here byte by byte. Node creates keys but
 * no certificates, and an external tool might not be installed. The certificate contains only the fields that TLS
 * clients read.
 */
export interface CertificateWithKey {
  privateKey: string;
  certificate: string;
}

const ECDSA_SHA256 = Buffer.from('06082a8648ce3d040302', 'hex');
const COMMON_NAME = Buffer.from('0603550403', 'hex');
const SUBJECT_ALT_NAME = Buffer.from('0603551d11', 'hex');
const BASIC_CONSTRAINTS = Buffer.from('0603551d13', 'hex');
const TRUE = Buffer.from('0101ff', 'hex');
const DAY_MS = 86_400_000;

const { SEQUENCE, SET, INTEGER, BIT_STRING, OCTET_STRING, UTF8, TIME, IP_NAME, DNS_NAME } = {
  SEQUENCE: 0x30,
  SET: 0x31,
  INTEGER: 0x02,
  BIT_STRING: 0x03,
  OCTET_STRING: 0x04,
  UTF8: 0x0c,
  TIME: 0x18,
  IP_NAME: 0x87,
  DNS_NAME: 0x82,
};

export function selfSignedCertificate(names: string[], now = Date.now()): CertificateWithKey {
  const pair = generateKeyPairSync('ec', {
    namedCurve: 'prime256v1',
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const algorithm = der(SEQUENCE, ECDSA_SHA256);
  // TLS clients look up an authority by its name, so every certificate needs a different one.
  const commonName = Buffer.from(`Simulated fleet ${randomBytes(4).toString('hex')}`);
  const name = der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, der(UTF8, commonName))));
  const alternatives = names.map(encodeAlternativeName);
  const extensions = der(
    SEQUENCE,
    der(SEQUENCE, BASIC_CONSTRAINTS, TRUE, der(OCTET_STRING, der(SEQUENCE, TRUE))),
    der(SEQUENCE, SUBJECT_ALT_NAME, der(OCTET_STRING, der(SEQUENCE, ...alternatives))),
  );
  const body = der(
    SEQUENCE,
    der(0xa0, der(INTEGER, Buffer.from([2]))),
    der(INTEGER, Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithm,
    name,
    der(SEQUENCE, encodeDerTime(now - DAY_MS), encodeDerTime(now + 90 * DAY_MS)),
    name,
    createPublicKey({ key: pair.publicKey, type: 'spki', format: 'der' }).export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  const signature = sign('sha256', body, createPrivateKey(pair.privateKey));
  const certificate = der(SEQUENCE, body, algorithm, der(BIT_STRING, Buffer.from([0]), signature));
  return { privateKey: pair.privateKey, certificate: pem(certificate) };
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const contents = Buffer.concat(parts);
  const { length } = contents;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), contents]);
  const digits = length.toString(16);
  const bytes = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.from([tag, 0x80 | bytes.length]), bytes, contents]);
}

function encodeAlternativeName(name: string): Buffer {
  return net.isIPv4(name)
    ? der(IP_NAME, Buffer.from(name.split('.').map(Number)))
    : der(DNS_NAME, Buffer.from(name, 'ascii'));
}

function encodeDerTime(milliseconds: number): Buffer {
  const stamp = new Date(milliseconds).toISOString().replace(/[-:T]|\.\d+/g, '');
  return der(TIME, Buffer.from(stamp, 'ascii'));
}

function pem(certificate: Buffer): string {
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
