import addressparser from 'nodemailer/lib/addressparser';
import { normalizeMailAddress } from './mail-address.ts';

export interface Mailbox {
  name: string;
  address: string;
}

export const LONGEST_MAILBOX_NAME = 120;

// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

export const NO_CONTROL_CHARACTERS = 'must not contain line breaks or control characters';

/** True for line breaks and other control characters, which would end a header of a mail. */
export const hasControlCharacter = (text: string): boolean => CONTROL.test(text);

/** Parses `mail@example.com` or `Agency <mail@example.com>`. Returns null if the text is not exactly one address. */
export function parseMailbox(text: string): Mailbox | null {
  if (hasControlCharacter(text)) return null;
  const [first, ...others] = addressparser(text);
  if (!first || first.address === undefined || others.length > 0) return null;
  const address = normalizeMailAddress(first.address);
  const name = first.name.trim();
  return address === null || name.length > LONGEST_MAILBOX_NAME ? null : { name, address };
}
