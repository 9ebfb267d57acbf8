import type { Knex } from 'knex';
import { BackupRepository, type KnownBackup } from './backup-repository.ts';

export class BackupService {
  readonly #knex: Knex;

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  /** Returns milliseconds since 1970 per site. A site without a known backup has no entry. */
  latest(siteIds: readonly number[]): Promise<Map<number, number>> {
    return new BackupRepository(this.#knex).latest(siteIds);
  }

  known(siteIds: readonly number[]): Promise<Map<number, KnownBackup[]>> {
    return new BackupRepository(this.#knex).known(siteIds);
  }

  /** Ignores times that are not newer than the stored time of the same site and source. */
  record(trx: Knex, source: string, takenAt: ReadonlyMap<number, number>): Promise<void> {
    return new BackupRepository(trx).put(source, takenAt);
  }
}
