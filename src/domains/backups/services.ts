import type { Backups } from './backups.ts';

export interface BackupsServices {
  backups: Backups;
}
