import type { Knex } from 'knex';
import type { SecurityFlag, SecurityValue } from '../../connector/child-site.ts';
import { securityIssues, type SecurityFlags, type SecurityIssue } from './security.ts';

interface FlagRow {
  flag: SecurityFlag;
  value: SecurityValue;
}

export class SecurityReadModel {
  readonly #knex: Knex;

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  async issuesOf(siteId: number): Promise<SecurityIssue[]> {
    return securityIssues(await this.flagsOf(siteId));
  }

  async flagsOf(siteId: number): Promise<SecurityFlags> {
    const rows = await this.#knex('site_security').where({ site_id: siteId }).select<FlagRow[]>('flag', 'value');
    return Object.fromEntries(rows.map(({ flag, value }) => [flag, value]));
  }
}
