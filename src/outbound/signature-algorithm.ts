import { derElementAt } from './der.ts';

const NAMES: Readonly<Record<string, string>> = {
  '1.2.840.113549.1.1.2': 'md2WithRSAEncryption',
  '1.2.840.113549.1.1.4': 'md5WithRSAEncryption',
  '1.2.840.113549.1.1.5': 'sha1WithRSAEncryption',
  '1.2.840.113549.1.1.10': 'rsassaPss',
  '1.2.840.113549.1.1.11': 'sha256WithRSAEncryption',
  '1.2.840.113549.1.1.12': 'sha384WithRSAEncryption',
  '1.2.840.113549.1.1.13': 'sha512WithRSAEncryption',
  '1.2.840.113549.1.1.14': 'sha224WithRSAEncryption',
  '1.2.840.10040.4.3': 'dsa-with-SHA1',
  '2.16.840.1.101.3.4.3.2': 'dsa-with-SHA256',
  '1.2.840.10045.4.1': 'ecdsa-with-SHA1',
  '1.2.840.10045.4.3.1': 'ecdsa-with-SHA224',
  '1.2.840.10045.4.3.2': 'ecdsa-with-SHA256',
  '1.2.840.10045.4.3.3': 'ecdsa-with-SHA384',
  '1.2.840.10045.4.3.4': 'ecdsa-with-SHA512',
  '1.3.101.112': 'ED25519',
  '1.3.101.113': 'ED448',
};

const OBJECT_IDENTIFIER = 0x06;

/**
 * Returns the name of the signature algorithm of a certificate in DER form. Returns its object identifier if `NAMES`
 * has no name, and null if it cannot be read. Node provides the algorithm only from version 24. A certificate is a list
 * of the signed data, the algorithm and the signature. The algorithm is a list that begins with its identifier.
 */
export function signatureAlgorithmOf(certificate: Buffer): string | null {
  try {
    const whole = derElementAt(certificate, 0);
    const signed = derElementAt(certificate, whole.start);
    const algorithm = derElementAt(certificate, signed.end);
    const identifier = derElementAt(certificate, algorithm.start);
    if (certificate[algorithm.start] !== OBJECT_IDENTIFIER) return null;
    const dotted = decodeObjectIdentifier(certificate.subarray(identifier.start, identifier.end));
    return NAMES[dotted] ?? dotted.slice(0, 100);
  } catch {
    return null;
  }
}

function decodeObjectIdentifier(bytes: Buffer): string {
  const arcs: number[] = [];
  let arc = 0;
  for (const byte of bytes) {
    arc = arc * 0x80 + (byte & 0x7f);
    if (byte >= 0x80) continue;
    // DER encodes the first two parts of an object identifier as one number: 40 times the first plus the second.
    if (arcs.length === 0) arcs.push(Math.min(2, Math.floor(arc / 40)), arc - 40 * Math.min(2, Math.floor(arc / 40)));
    else arcs.push(arc);
    arc = 0;
  }
  return arcs.join('.');
}
