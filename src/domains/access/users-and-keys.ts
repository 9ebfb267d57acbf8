import type { Caller, Role, Scope } from '../../shared/caller.ts';

export interface User {
  id: number;
  name: string;
  role: Role;
  enabled: boolean;
  createdAt: number;
}

export interface ApiKey {
  id: number;
  userId: number;
  userName: string;
  label: string;
  hint: string;
  scope: Scope;
  enabled: boolean;
  expiresAt: number | null;
  createdAt: number;
  lastUsedAt: number | null;
}

export const callerKeyId = ({ credential }: Pick<Caller, 'credential'>): number | null =>
  credential.startsWith('key:') ? Number(credential.slice('key:'.length)) : null;
