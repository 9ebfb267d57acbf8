import { SECOND } from '../../shared/clock.ts';
import { attemptCall } from '../sites/index.ts';
import { toPhpError, type GuardTask, type UpdateGuard } from '../updates/index.ts';
import type { GuardedItem } from './guard-file.ts';
import type { GuardFiles, UpdateGuardContext } from './guard-files.ts';

/** Guards an update with a file on the site, which works even if the child plugin does not. */
export const parachuteGuard = (guardFiles: GuardFiles): UpdateGuard => ({
  name: 'parachute',
  allowedOn: (sites) => guardFiles.allowedOn(sites),
  needsPackage: false,
  async prepare(task) {
    await guardFiles.prepare(task.site.id, itemOf(task), contextOf(task));
  },
  async selfRestored(task) {
    const id = await idOf(guardFiles, task);
    const { restored = null, now = null } = id === null ? {} : await guardFiles.state(id, contextOf(task));
    if (restored?.cause !== 'fatal') return null;
    const { message, file, line, at } = restored;
    const agoMs = now === null ? null : Math.max(0, now - at) * SECOND;
    return { ...toPhpError({ message: message ?? '', file, line }), agoMs };
  },
  async restore(task) {
    const id = await idOf(guardFiles, task);
    const { value: state } = await attemptCall(async () =>
      id === null ? null : guardFiles.restore(id, contextOf(task)),
    );
    if (!state?.restored) await task.reinstall();
  },
  async release(task) {
    const id = await idOf(guardFiles, task);
    if (id === null) return [];
    // The copy is the only way back from a version that broke the site. The schedule `guard-files` tries again.
    const isCopyNeeded = task.record.phase === 'restoring' && !task.hasOldVersion;
    if (isCopyNeeded && (await guardFiles.hasCopy(id))) return ['guard_file'];
    const { left } = await guardFiles.release(id, contextOf(task));
    return left === null ? [] : ['guard_file'];
  },
});

const idOf = (guardFiles: GuardFiles, task: GuardTask): Promise<number | null> =>
  guardFiles.find(task.site.id, itemOf(task), contextOf(task));

/** The main file of a plugin is below its folder. A plugin without a folder cannot be guarded. */
const itemOf = ({ record: { type, slug }, update: { name } }: GuardTask): GuardedItem => ({
  kind: type,
  folder: type === 'plugin' ? slug.slice(0, Math.max(0, slug.indexOf('/'))) : slug,
  name: name || slug,
});

const contextOf = ({ itemId, actor, lease, oneOfMany }: GuardTask): UpdateGuardContext => ({
  itemId,
  actor,
  lease,
  oneOfMany,
});
