import { domainToASCII } from 'node:url';

const LOCAL = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const LABELS = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const LONGEST = 254;

/**
 * An e-mail address in the one spelling in which it is kept: without a name, quotes or a line break, and its domain in
 * lower-case ASCII; null for a text that is none. So it can stand in a header and in an envelope as it is.
 */
export function mailAddress(text: string): string | null {
  const trimmed = text.trim();
  const at = trimmed.lastIndexOf('@');
  const local = trimmed.slice(0, Math.max(0, at));
  const domain = domainToASCII(trimmed.slice(at + 1)).toLowerCase();
  const address = `${local}@${domain}`;
  return local.length <= 64 && LOCAL.test(local) && LABELS.test(domain) && address.length <= LONGEST ? address : null;
}
