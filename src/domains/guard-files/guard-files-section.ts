import type { Knex } from 'knex';
import type { NewSectionValue } from '../../platform/part.ts';
import type { SiteStatePatch, SyncSection } from '../sites/index.ts';
import type { StoredGuardFile } from './guard-file.ts';
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
  write: async (trx, values) => {
    const stored = await new GuardFileRepository(trx).ofSites(values.map(({ site }) => site.id));
    const patches = new Map<number, SiteStatePatch>();
    for (const each of values) {
      const known = stored.get(each.site.id) ?? [];
      if (known.length === 0 && each.value.length === 0) patches.set(each.site.id, { guard_left: null });
      else await compareWithKnown(trx, each, known);
    }
    return patches;
  },
};

async function compareWithKnown(
  trx: Knex.Transaction,
  { site: { id: siteId }, value: reported, now }: NewSectionValue<string[]>,
  known: readonly StoredGuardFile[],
): Promise<void> {
  const repository = new GuardFileRepository(trx);
  for (const { id, guardId, leftSince } of known)
    if (leftSince !== null && !reported.includes(guardId)) await repository.delete(id);
  for (const guardId of reported)
    if (!known.some((file) => file.guardId === guardId)) {
      const unknown = { itemId: null, kind: 'plugin', folder: '', name: 'unknown', privateKey: null } as const;
      const file = { guardId, siteId, actor: 'system', state: 'found', ...unknown } as const;
      await repository.insert(file, { now, dueAt: now });
    }
  await new GuardLeftRepository(trx).refresh(siteId);
}
