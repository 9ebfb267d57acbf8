import type { Backups } from './backups.ts';

/** What other parts and the surfaces may ask of the backups. */
export interface BackupsServices {
  backups: Backups;
}
