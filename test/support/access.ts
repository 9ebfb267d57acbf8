import { Sealing } from '../../src/db/sealing.ts';
import { AccessService } from '../../src/domains/access/index.ts';
import { ChangeLog } from '../../src/domains/changes/index.ts';
import { systemClock, type Clock } from '../../src/shared/clock.ts';
import { InvalidError } from '../../src/shared/errors.ts';
import type { TestDatabase } from './database.ts';

/** Returns the access service of a process on this database. */
export const accessTo = ({ database }: TestDatabase, clock: Clock = systemClock): AccessService =>
  new AccessService(database, new Sealing(Buffer.alloc(32, 7)), clock, new ChangeLog(clock));

/** Creates the administrator Alice with a password. */
export async function createAlice(access: AccessService) {
  const user = await access.createUser({ name: 'Alice', role: 'administrator' }, 'tester');
  return { user, ...(await access.addPassword(user.id, 'laptop', 'tester')) };
}

/** Creates an API key that can only read. */
export const createKey = (access: AccessService, userId: number, expiresAt: number | null = null) =>
  access.keys.create({ userId, label: 'ci', scope: 'read', expiresAt }, 'tester');

/** True if an error rejects this field. */
export const refusesField =
  (path: string) =>
  (error: unknown): boolean =>
    error instanceof InvalidError && error.code === 'invalid_input' && error.data.errors?.[0]?.path === path;
