import { randomBytes, randomInt } from 'node:crypto';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const PASSWORD_LENGTH = 24;
const KEY_BYTES = 32;
const HINT_LENGTH = 7;

/** 24 letters and digits, 143 bits: too many to guess, so that a fast hash of it may be stored. */
export function newApplicationPassword(): string {
  return Array.from({ length: PASSWORD_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/** 256 bits behind a prefix by which secret scanners can know it. */
export function newApiKey(): string {
  return `sf_${randomBytes(KEY_BYTES).toString('base64url')}`;
}

export const hintOf = (key: string): string => key.slice(-HINT_LENGTH);

/** People copy a password in groups; blanks never count. */
export const withoutBlanks = (password: string): string => password.replace(/\s/g, '');
