import { DAY, toDate, toIso, type Clock } from '../../shared/clock.ts';
import { ConflictError } from '../../shared/errors.ts';
import type { Backups } from '../backups/index.ts';
import type { SettingsService } from '../settings/index.ts';

/** Keeps a site from being updated that has no backup to go back to. */
export interface BackupRule {
  /** Throws `svc_backup_required`. */
  check(siteId: number): Promise<void>;
}

/** The rule as the settings have it at the moment of an update. */
export const backupRule = (parts: {
  backups: Pick<Backups, 'latest'>;
  settings: Pick<SettingsService, 'current'>;
  clock: Clock;
}): BackupRule => ({
  async check(siteId) {
    const { backup_before_upgrade: rules, backup_before_upgrade_days: days } = parts.settings.current('general');
    if (rules !== 1) return;
    const takenAt = (await parts.backups.latest([siteId])).get(siteId);
    const now = parts.clock.now();
    const isFresh = days === 0 ? (at: number) => toDate(at) === toDate(now) : (at: number) => at >= now - days * DAY;
    if (takenAt !== undefined && isFresh(takenAt)) return;
    const last = takenAt === undefined ? 'no backup of it is known' : `its last backup is of ${toIso(takenAt)}`;
    const wanted = days === 0 ? 'one of the same day' : `one that is not older than ${days} days`;
    throw new ConflictError(
      'svc_backup_required',
      `The site was not updated: ${last}, and the settings ask for ${wanted}.`,
    );
  },
});
