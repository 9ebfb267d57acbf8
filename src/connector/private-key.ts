import { createPrivateKey, type JsonWebKey, type KeyObject } from 'node:crypto';

const [INTEGER, OCTETS, SEQUENCE] = [0x02, 0x04, 0x30] as const;
const PEM = /^-----BEGIN PRIVATE KEY-----\s+([A-Za-z\d+/=\s]+)-----END PRIVATE KEY-----\s*$/;

/**
 * Parses an RSA private key in PKCS#8 PEM. For a PEM text, OpenSSL tries all formats that it knows. Here the numbers of
 * the key are read from the text and passed as a JWK, which is 20 times as fast. A key with another structure is passed
 * to OpenSSL as PEM. Throws if OpenSSL cannot parse it.
 */
export function parsePrivateKey(pem: string): KeyObject {
  const key = rsaNumbersOf(pem);
  return key ? createPrivateKey({ key, format: 'jwk' }) : createPrivateKey(pem);
}

/**
 * Reads `PrivateKeyInfo` (RFC 5208) with an `RSAPrivateKey` of two primes (RFC 8017, A.1.2). Returns null for other
 * structures.
 */
function rsaNumbersOf(pem: string): JsonWebKey | null {
  const text = PEM.exec(pem)?.[1];
  if (text === undefined) return null;
  const info = readDerElement(Buffer.from(text, 'base64'), SEQUENCE)?.content;
  const version = info && readDerElement(info, INTEGER);
  const algorithm = version && readDerElement(version.rest, SEQUENCE);
  const key = algorithm && readDerElement(algorithm.rest, OCTETS);
  let rest = key && readDerElement(key.content, SEQUENCE)?.content;
  const numbers: string[] = [];
  while (rest && rest.length > 0) {
    const number = readDerElement(rest, INTEGER);
    if (!number) return null;
    // A leading zero byte marks a positive number. A JWK has none.
    numbers.push(number.content.subarray(number.content[0] === 0 ? 1 : 0).toString('base64url'));
    rest = number.rest;
  }
  const [, n, e, d, p, q, dp, dq, qi] = numbers;
  return numbers.length === 9 && n && e && d && p && q && dp && dq && qi
    ? { kty: 'RSA', n, e, d, p, q, dp, dq, qi }
    : null;
}

function readDerElement(der: Buffer, tag: number): { content: Buffer; rest: Buffer } | null {
  const [firstByte, short = 0x80] = der;
  if (firstByte !== tag) return null;
  const bytes = short < 0x80 ? 0 : short & 0x7f;
  if (short === 0x80 || bytes > 4 || der.length < 2 + bytes) return null;
  const length = bytes === 0 ? short : der.readUIntBE(2, bytes);
  const start = 2 + bytes;
  if (der.length < start + length) return null;
  return { content: der.subarray(start, start + length), rest: der.subarray(start + length) };
}
