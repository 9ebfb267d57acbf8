import { definePart, type OwnOf } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import type { BackupsServices } from '../backups/index.ts';
import type { ChangesServices } from '../changes/index.ts';
import { dailyTimingAt } from '../schedules/index.ts';
import type { SettingsServices } from '../settings/index.ts';
import type { SitesServices } from '../sites/index.ts';
import { Accounts } from './accounts.ts';
import { BackupCheck } from './backup-check.ts';

interface ApiBackupsPartDeps {
  backups: BackupsServices;
  changes: ChangesServices;
  settings: SettingsServices;
  sites: SitesServices;
}

export function apiBackupsPart(
  { knex, sealing, clock, queue, outbound, providerBases }: Platform,
  { backups, changes: { changeLog }, settings: { settings }, sites: { list } }: ApiBackupsPartDeps,
) {
  const check = new BackupCheck({
    knex,
    sealing,
    clock,
    queue,
    outbound,
    list,
    backups: backups.backups,
    timing: () => dailyTimingAt('2:20', settings.current('general')),
    baseOf: ({ slug }) => providerBases[slug],
  });
  return definePart({
    name: 'api-backups',
    own: { accounts: new Accounts({ knex, sealing, changeLog }) },
    jobs: [check.job],
    schedules: [check.schedule],
  });
}

export type ApiBackupsServices = OwnOf<typeof apiBackupsPart>;
