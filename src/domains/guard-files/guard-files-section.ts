import type { SyncSection } from '../sites/index.ts';
import { GuardFileRepository } from './guard-file-repository.ts';
import { GuardLeftRepository } from './guard-left-repository.ts';

/**
 * Compares the guard files that a site reports with the known ones. If a file that could not be removed is no longer
 * reported, its row is deleted. A file that is not known, for example after a restored backup, gets a row, so that the
 * schedule checks it. For most sites, which have no guard file, nothing is written but an empty column.
 */
export const guardFilesSection: SyncSection<string[]> = {
  name: 'guard_files',
  subjects: [],
  read: ({ guardFiles }) => guardFiles?.toSorted(),
  write: async (trx, { id: siteId }, reported, { now }) => {
    const repository = new GuardFileRepository(trx);
    const known = await repository.ofSite(siteId);
    if (known.length === 0 && reported.length === 0) return { guard_left: null };
    for (const { id, guardId, leftSince } of known)
      if (leftSince !== null && !reported.includes(guardId)) await repository.delete(id);
    for (const guardId of reported)
      if (!known.some((file) => file.guardId === guardId)) {
        const unknown = { itemId: null, kind: 'plugin', folder: '', name: 'unknown', privateKey: null } as const;
        const file = { guardId, siteId, actor: 'system', state: 'found', ...unknown } as const;
        await repository.insert(file, { now, dueAt: now });
      }
    await new GuardLeftRepository(trx).refresh(siteId);
    return {};
  },
};
