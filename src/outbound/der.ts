/** Where an element begins and ends, and its content. */
export interface DerElement {
  at: number;
  start: number;
  end: number;
}

/** The element at this place of a certificate. Throws `RangeError` beyond the end of the bytes. */
export function elementAt(bytes: Buffer, at: number): DerElement {
  const first = bytes.readUInt8(at + 1);
  if (first < 0x80) return { at, start: at + 2, end: at + 2 + first };
  const digits = first & 0x7f;
  const start = at + 2 + digits;
  return { at, start, end: start + bytes.readUIntBE(at + 2, digits) };
}

const VERSION = 0xa0;
/** Serial number, algorithm, issuer, dates and subject stand before the key. */
const BEFORE_KEY = 5;

/** The key of a certificate (DER) with its kind, as it is written there. Throws `RangeError` where there is none. */
export function publicKeyInfoIn(certificate: Buffer): Buffer {
  const signed = elementAt(certificate, elementAt(certificate, 0).start);
  let element = elementAt(certificate, signed.start);
  if (certificate[element.at] === VERSION) element = elementAt(certificate, element.end);
  for (let passed = 0; passed < BEFORE_KEY; passed += 1) element = elementAt(certificate, element.end);
  return certificate.subarray(element.at, element.end);
}
