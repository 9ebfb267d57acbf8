import type { Knex } from 'knex';
import { BackupRepository, type KnownBackup } from './backup-repository.ts';

/** The last backups of the sites, as their children and the services that keep backups tell of them. */
export class Backups {
  readonly #knex: Knex;

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  /** When each site was last backed up, in milliseconds since 1970; a site of which nobody tells has no entry. */
  latest(siteIds: readonly number[]): Promise<Map<number, number>> {
    return new BackupRepository(this.#knex).latest(siteIds);
  }

  /** The last backup of each source of the sites, newest first. */
  known(siteIds: readonly number[]): Promise<Map<number, KnownBackup[]>> {
    return new BackupRepository(this.#knex).known(siteIds);
  }

  /** Takes in what a source tells of sites, by their ids, in its transaction; the newest time counts. */
  record(trx: Knex, source: string, takenAt: ReadonlyMap<number, number>): Promise<void> {
    return new BackupRepository(trx).put(source, takenAt);
  }
}
