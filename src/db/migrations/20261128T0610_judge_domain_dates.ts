import { time, type Migration } from './columns.ts';

/**
 * Adds the expiry date that a domain had at its last alert. For earlier alerts, this is the currently stored date.
 * Changes the condition of domains that the registry did not know from `lookup_failed` to `not_found`.
 */
export const judgeDomainDates: Migration = {
  name: '20261128T0610_judge_domain_dates',
  up: async (knex) => {
    await knex.schema.alterTable('site_domains', (table) => {
      time(table, 'told_expires_at');
    });
    const lookedUp = knex('domains').select('expires_at').whereRaw('domains.name = site_domains.domain');
    await knex('site_domains')
      .whereNotNull('told_state')
      .update({
        told_expires_at: knex.raw('case when manual is not null then manual_expires_at else ? end', [lookedUp]),
      });
    await knex('domains')
      .where({ condition_code: 'lookup_failed', error_code: 'not_found' })
      .update({ condition_code: 'not_found' });
  },
  down: async (knex) => {
    await knex('domains').where({ condition_code: 'not_found' }).update({ condition_code: 'lookup_failed' });
    await knex('site_domains').where({ told_state: 'not_found' }).update({ told_state: 'active' });
    await knex.raw('alter table ?? drop column ??', ['site_domains', 'told_expires_at']);
  },
};
