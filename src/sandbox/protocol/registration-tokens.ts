import { createHmac, randomBytes } from 'node:crypto';
import type { User } from '../state/site-state.ts';

/**
 * Number of reconnect tokens (`regverify`, protocol 2.5) that the child stores per user: the newest five. A token has
 * two parts of 40 hex digits each. The first part is stored only as a keyed hash.
 */
const KEPT = 5;

export function makeRegistrationToken(user: User): string {
  const first = randomBytes(20).toString('hex');
  const second = randomBytes(20).toString('hex');
  user.tokens.push(hashRegistrationToken(first, second));
  if (user.tokens.length > KEPT) user.tokens.shift();
  return `${first}-${second}`;
}

export function isValidRegistrationToken(user: User, token: string): boolean {
  const [first = '', second = ''] = token.split('-');
  return first !== '' && second !== '' && user.tokens.includes(hashRegistrationToken(first, second));
}

function hashRegistrationToken(first: string, second: string): string {
  return `${createHmac('sha256', second).update(first).digest('hex')}-${second}`;
}
