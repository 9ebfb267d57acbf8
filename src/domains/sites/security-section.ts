import type { Knex } from 'knex';
import { SECURITY_FLAGS, type SecurityFlag, type SecurityValue } from '../../connector/child-site.ts';
import { securityIssues, type SecurityFlags, type SecurityIssue } from './security.ts';
import type { SyncSection } from './sync-section.ts';

interface FlagRow {
  flag: SecurityFlag;
  value: SecurityValue;
}

/** The ten flags of the child's own security check, in a fixed order. */
export const securitySection: SyncSection<FlagRow[]> = {
  name: 'security',
  subjects: [],
  read: ({ security }) =>
    security &&
    SECURITY_FLAGS.flatMap((flag) => {
      const value = security[flag];
      return value === undefined ? [] : [{ flag, value }];
    }),
  write: async (trx, site, flags) => {
    await trx('site_security').where({ site_id: site.id }).delete();
    if (flags.length > 0) await trx('site_security').insert(flags.map((row) => ({ site_id: site.id, ...row })));
  },
};

/** Reads what the last sync found amiss. */
export class SecurityReadModel {
  readonly #knex: Knex;

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  async issuesOf(siteId: number): Promise<SecurityIssue[]> {
    return securityIssues(await this.flagsOf(siteId));
  }

  /** A flag that never came is absent. */
  async flagsOf(siteId: number): Promise<SecurityFlags> {
    const rows = await this.#knex('site_security').where({ site_id: siteId }).select<FlagRow[]>('flag', 'value');
    return Object.fromEntries(rows.map(({ flag, value }) => [flag, value]));
  }
}
