import type { Caller } from '../shared/caller.ts';
import type { CredentialCheck } from './ports.ts';

export type Credential = { scheme: 'basic'; user: string; password: string } | { scheme: 'bearer'; key: string };

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

/** False if a name or password contains U+0000, which no stored text contains. */
export const isStorableCredential = (credential: Credential): boolean =>
  credential.scheme === 'bearer' || !`${credential.user}${credential.password}`.includes('\0');

export const findCaller = (check: CredentialCheck, credential: Credential): Promise<Caller | null> =>
  credential.scheme === 'bearer' ? check.byKey(credential.key) : check.byPassword(credential.user, credential.password);
