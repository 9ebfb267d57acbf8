import type { Caller } from '../shared/caller.ts';
import type { CredentialCheck } from './ports.ts';

/** What a caller shows to be known by. */
export type Credential = { scheme: 'basic'; user: string; password: string } | { scheme: 'bearer'; key: string };

/** Reads the header `Authorization`; null where it is missing, or of no form that is taken. */
export function readCredential(header = ''): Credential | null {
  const [, scheme = '', text = ''] = /^(\S+) +(\S.*)$/.exec(header) ?? [];
  switch (scheme.toLowerCase()) {
    case 'bearer':
      return { scheme: 'bearer', key: text.trim() };
    case 'basic': {
      const [, user, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(text, 'base64').toString('utf8')) ?? [];
      return user && password ? { scheme: 'basic', user, password } : null;
    }
    default:
      return null;
  }
}

/** Whether a database could look for it: U+0000 is in none of its texts. */
export const isStorableCredential = (credential: Credential): boolean =>
  credential.scheme === 'bearer' || !`${credential.user}${credential.password}`.includes('\0');

export const findCaller = (check: CredentialCheck, credential: Credential): Promise<Caller | null> =>
  credential.scheme === 'bearer' ? check.byKey(credential.key) : check.byPassword(credential.user, credential.password);
