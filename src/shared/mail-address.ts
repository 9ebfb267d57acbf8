import { domainToASCII } from 'node:url';

const LOCAL = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const LABELS = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const LONGEST = 254;

/**
 * Normalizes an email address to the stored form: no display name, quotes or line breaks, and the domain in lower-case
 * ASCII. Such an address is safe in mail headers and SMTP envelopes. Returns null if the text is no address.
 */
export function normalizeMailAddress(text: string): string | null {
  const trimmed = text.trim();
  const at = trimmed.lastIndexOf('@');
  const local = trimmed.slice(0, Math.max(0, at));
  const domain = domainToASCII(trimmed.slice(at + 1)).toLowerCase();
  const address = `${local}@${domain}`;
  return local.length <= 64 && LOCAL.test(local) && LABELS.test(domain) && address.length <= LONGEST ? address : null;
}
