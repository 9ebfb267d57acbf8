import type { Knex } from 'knex';
import { isLimited, type SiteScope } from '../../shared/site-scope.ts';
import { whereInScope, whereShownClientInScope } from '../sites/index.ts';

/**
 * Restricts a query of mails to those that a limited scope allows. All sites that a mail is about must be in the scope,
 * and there must be at least one. If the mail shows data of a client, a site of that client must be in the scope.
 */
export function whereMailInScope(knex: Knex, query: Knex.QueryBuilder, scope: SiteScope): void {
  if (!isLimited(scope)) return;
  const seen = knex('mail_sites')
    .groupBy('mail_sites.mail_id')
    .select('mail_sites.mail_id', knex.raw('count(*) as sites_seen'));
  whereInScope(knex, seen, scope, 'mail_sites.site_id');
  const visible = knex(seen.as('seen'))
    .whereRaw('seen.sites_seen = (select count(*) from mail_sites where mail_sites.mail_id = seen.mail_id)')
    .select('seen.mail_id as visible_id');
  void query.join(visible.as('visible'), 'visible.visible_id', 'mails.id');
  whereShownClientInScope(knex, query, scope, 'mails');
}
