import { floorToSecond } from '../../shared/clock.ts';
import { FieldErrors, throwFieldError } from '../../shared/field-errors.ts';
import { trimmedText } from '../../shared/text.ts';

/**
 * Label of the credentials that environment variables set. A restart replaces these credentials. Callers may not use
 * the label.
 */
export const PRESET_LABEL = 'preset';

const MAX_NAME = 60;
const MAX_LABEL = 100;
const MAX_RATE = 100_000;
const MAX_OVERLAP_SECONDS = 7 * 86_400;
/** Excludes the colon, which ends the name in HTTP Basic, and characters that are unsafe in logs and terminals. */
const NAME = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N} _.@-]*[\p{L}\p{M}\p{N}_.@-])?$/u;
/** Name of the service itself in the change log, which no user may have. */
const RESERVED_NAME = 'system';

export const userNameKeyOf = (name: string): string => name.normalize('NFKC').toLowerCase();

export function checkedUserName(name: string): string {
  const trimmed = name.trim().normalize('NFC');
  if (trimmed.length > MAX_NAME || userNameKeyOf(trimmed).length > MAX_NAME)
    throwFieldError('name', `must have at most ${MAX_NAME} characters`);
  if (!NAME.test(trimmed))
    throwFieldError(
      'name',
      'must contain only letters, digits, blanks and _ . @ -, and must begin with a letter or digit',
    );
  if (userNameKeyOf(trimmed) === RESERVED_NAME) throwFieldError('name', 'is reserved');
  return trimmed;
}

export function checkedLabel(label: string): string {
  const errors = new FieldErrors();
  const trimmed = trimmedText(errors, 'label', label, MAX_LABEL);
  errors
    .require('label', !/\p{Cc}/u.test(trimmed), 'must not contain control characters')
    .require('label', trimmed !== PRESET_LABEL, 'is reserved for credentials of the environment')
    .throwIfAny();
  return trimmed;
}

export function checkedRateLimit(callsAMinute: number | null): number | null {
  if (callsAMinute !== null && !(Number.isSafeInteger(callsAMinute) && callsAMinute >= 1 && callsAMinute <= MAX_RATE))
    throwFieldError('rateLimit', `must be a whole number from 1 to ${MAX_RATE}`);
  return callsAMinute;
}

export function checkedOverlap(seconds: number): number {
  if (!(Number.isSafeInteger(seconds) && seconds >= 0 && seconds <= MAX_OVERLAP_SECONDS))
    throwFieldError('overlapSeconds', `must be a whole number from 0 to ${MAX_OVERLAP_SECONDS}`);
  return seconds;
}

/** Returns the time in whole seconds, as callers read it and send it back. */
export function checkedExpiry(expiresAt: number | null, now: number): number | null {
  if (expiresAt !== null && !(Number.isSafeInteger(expiresAt) && expiresAt > now))
    throwFieldError('expiresAt', 'must be in the future');
  return expiresAt && floorToSecond(expiresAt);
}
