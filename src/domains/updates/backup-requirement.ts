import { DAY, toIso, type Clock } from '../../shared/clock.ts';
import { ConflictError } from '../../shared/errors.ts';
import type { BackupService } from '../backups/index.ts';
import type { Formats, SettingsService } from '../settings/index.ts';

export interface BackupRequirement {
  /** Throws `svc_backup_required` if updates require a recent backup and the site has none. */
  check(siteId: number): Promise<void>;
}

export const createBackupRequirement = ({
  backups,
  settings,
  formats,
  clock,
}: {
  backups: Pick<BackupService, 'latest'>;
  settings: Pick<SettingsService, 'current'>;
  formats: Pick<Formats, 'dayOf'>;
  clock: Clock;
}): BackupRequirement => ({
  async check(siteId) {
    const { backup_before_upgrade: rules, backup_before_upgrade_days: days } = settings.current('general');
    if (rules !== 1) return;
    const takenAt = (await backups.latest([siteId])).get(siteId);
    const now = clock.now();
    const isFresh = (at: number): boolean =>
      days === 0 ? formats.dayOf(at) === formats.dayOf(now) : at >= now - days * DAY;
    if (takenAt !== undefined && isFresh(takenAt)) return;
    const last = takenAt === undefined ? 'no backup of the site is known' : `its last backup is from ${toIso(takenAt)}`;
    const wanted = days === 0 ? 'a backup from the same day' : `a backup that is not older than ${days} days`;
    throw new ConflictError(
      'svc_backup_required',
      `The site was not updated: ${last}, and the settings require ${wanted}.`,
    );
  },
});
