/**
 * Offsets of an element in DER, the binary form of certificates. `at` is its first byte, `start` and `end` delimit its
 * content.
 */
export interface DerElement {
  at: number;
  start: number;
  end: number;
}

export function derElementAt(bytes: Buffer, at: number): DerElement {
  const first = bytes.readUInt8(at + 1);
  if (first < 0x80) return { at, start: at + 2, end: at + 2 + first };
  const digits = first & 0x7f;
  const start = at + 2 + digits;
  return { at, start, end: start + bytes.readUIntBE(at + 2, digits) };
}

const VERSION = 0xa0;
/** Number of fields before the key: serial number, algorithm, issuer, dates and subject. */
const BEFORE_KEY = 5;

/**
 * Returns the encoded SubjectPublicKeyInfo of a DER certificate: the key with its algorithm. Throws `RangeError` if
 * there is none.
 */
export function publicKeyInfoIn(certificate: Buffer): Buffer {
  const signed = derElementAt(certificate, derElementAt(certificate, 0).start);
  let element = derElementAt(certificate, signed.start);
  if (certificate[element.at] === VERSION) element = derElementAt(certificate, element.end);
  for (let passed = 0; passed < BEFORE_KEY; passed += 1) element = derElementAt(certificate, element.end);
  return certificate.subarray(element.at, element.end);
}
