import { randomBytes, randomInt } from 'node:crypto';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const PASSWORD_LENGTH = 24;
const KEY_BYTES = 32;
const HINT_LENGTH = 7;

/** Returns 24 letters and digits (143 bits). This is too long to guess, so a fast hash of it may be stored. */
export function generateApplicationPassword(): string {
  return Array.from({ length: PASSWORD_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/** Returns 256 random bits after a prefix that secret scanners can recognize. */
export function generateApiKey(): string {
  return `sf_${randomBytes(KEY_BYTES).toString('base64url')}`;
}

export const keyHintOf = (key: string): string => key.slice(-HINT_LENGTH);

/** Removes whitespace, because people copy passwords in groups of characters. */
export const withoutBlanks = (password: string): string => password.replace(/\s/g, '');
