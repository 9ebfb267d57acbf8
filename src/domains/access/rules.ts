import { InvalidError } from '../../shared/errors.ts';

/**
 * Credentials that the environment sets carry this label; nobody else may use it, or a restart would replace theirs.
 */
export const PRESET_LABEL = 'preset';

const MAX_NAME = 60;
const MAX_LABEL = 100;
/** No colon, which ends the name in HTTP Basic, and nothing that a log line or a terminal could trip over. */
const NAME = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N} _.@-]*[\p{L}\p{M}\p{N}_.@-])?$/u;
/** What the change log calls the product itself. */
const RESERVED_NAME = 'system';

/** The form in which names are compared. */
export const nameKeyOf = (name: string): string => name.normalize('NFKC').toLowerCase();

export const invalidField = (path: string, message: string): InvalidError => new InvalidError([{ path, message }]);

export function checkedName(name: string): string {
  const trimmed = name.trim().normalize('NFC');
  if (trimmed.length > MAX_NAME || nameKeyOf(trimmed).length > MAX_NAME)
    throw invalidField('name', `must have at most ${MAX_NAME} characters`);
  if (!NAME.test(trimmed))
    throw invalidField('name', 'must be letters, digits, blanks and _ . @ - only, and begin with a letter or digit');
  if (nameKeyOf(trimmed) === RESERVED_NAME) throw invalidField('name', 'is reserved');
  return trimmed;
}

export function checkedLabel(label: string): string {
  const trimmed = label.trim();
  if (trimmed.length > MAX_LABEL) throw invalidField('label', `must have at most ${MAX_LABEL} characters`);
  if (/\p{Cc}/u.test(trimmed)) throw invalidField('label', 'must not have control characters');
  if (trimmed === PRESET_LABEL) throw invalidField('label', 'is reserved for credentials of the environment');
  return trimmed;
}

export function checkedExpiry(expiresAt: number | null, now: number): number | null {
  if (expiresAt !== null && !(Number.isSafeInteger(expiresAt) && expiresAt > now))
    throw invalidField('expiresAt', 'must lie in the future');
  return expiresAt;
}
