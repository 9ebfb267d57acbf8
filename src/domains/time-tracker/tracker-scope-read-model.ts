import type { Knex } from 'knex';
import { countRows } from '../../db/count-rows.ts';
import { isLimited, type SiteScope } from '../../shared/site-scope.ts';
import { clientsInScope, clientsWhollyInScope, whereInScope } from '../sites/index.ts';

/**
 * Restricts a query of `time_tasks` to the tasks of sites in the scope, and to tasks without a site whose client has
 * all its sites in the scope. A task of a deleted site is in no limited scope, because the site may have been outside
 * it. Such a task keeps the URL of the site.
 */
export function whereTaskInScope(knex: Knex, query: Knex.QueryBuilder, scope: SiteScope): void {
  if (!isLimited(scope)) return;
  const ofSites = knex('time_tasks').select('time_tasks.id as task_id');
  whereInScope(knex, ofSites, scope, 'time_tasks.site_id');
  const ofClients = knex('time_tasks')
    .join(clientsWhollyInScope(knex, scope).as('whole'), 'whole.client_id', 'time_tasks.client_id')
    .whereNull('time_tasks.site_id')
    .where('time_tasks.site_url', '')
    .select('time_tasks.id as task_id');
  void query.join(ofSites.unionAll(ofClients).as('visible_tasks'), 'visible_tasks.task_id', 'time_tasks.id');
}

export function whereClientInScope(knex: Knex, query: Knex.QueryBuilder, scope: SiteScope, column: string): void {
  if (isLimited(scope))
    void query.join(clientsInScope(knex, scope).as('visible_clients'), 'visible_clients.client_id', column);
}

export function whereBucketInScope(knex: Knex, query: Knex.QueryBuilder, scope: SiteScope, column: string): void {
  if (isLimited(scope))
    void query.join(bucketsInScope(knex, scope).as('visible_buckets'), 'visible_buckets.bucket_id', column);
}

/**
 * Returns, as `bucket_id`, the buckets of a limited scope. The balance of a bucket is the sum of all its tasks, so all
 * sites of its clients must be in the scope, and so must the clients and sites of its tasks.
 */
export function bucketsInScope(knex: Knex, scope: SiteScope): Knex.QueryBuilder {
  const whole = (): Knex.QueryBuilder => clientsWhollyInScope(knex, scope).as('whole');
  const assigned = knex('time_bucket_clients')
    .join(whole(), 'whole.client_id', 'time_bucket_clients.client_id')
    .groupBy('time_bucket_clients.bucket_id')
    .select('time_bucket_clients.bucket_id', knex.raw('count(*) as clients_seen'));
  const inside = knex('sites').select('sites.id');
  whereInScope(knex, inside, scope);
  const debiting = knex('time_tasks')
    .join(whole(), 'whole.client_id', 'time_tasks.client_id')
    .leftJoin(inside.as('inside'), 'inside.id', 'time_tasks.site_id')
    .whereNotNull('time_tasks.bucket_id')
    .where((of) => of.whereNull('time_tasks.site_id').orWhereNotNull('inside.id'))
    .groupBy('time_tasks.bucket_id')
    .select('time_tasks.bucket_id', knex.raw('count(*) as tasks_seen'));
  const countOf = (table: string): string =>
    `(select count(*) from ${table} where ${table}.bucket_id = assigned.bucket_id)`;
  return knex(assigned.as('assigned'))
    .leftJoin(debiting.as('debiting'), 'debiting.bucket_id', 'assigned.bucket_id')
    .whereRaw(`assigned.clients_seen = ${countOf('time_bucket_clients')}`)
    .whereRaw(`coalesce(debiting.tasks_seen, 0) = ${countOf('time_tasks')}`)
    .select('assigned.bucket_id');
}

export async function isTaskInScope(knex: Knex, scope: SiteScope, id: number): Promise<boolean> {
  if (!isLimited(scope)) return true;
  const query = knex('time_tasks').where('time_tasks.id', id);
  whereTaskInScope(knex, query, scope);
  return (await countRows(query)) > 0;
}

export async function isBucketInScope(knex: Knex, scope: SiteScope, id: number): Promise<boolean> {
  if (!isLimited(scope)) return true;
  const query = knex('time_buckets').where('time_buckets.id', id);
  whereBucketInScope(knex, query, scope, 'time_buckets.id');
  return (await countRows(query)) > 0;
}

export function countClientsInScope(knex: Knex, scope: SiteScope, ids: readonly number[]): Promise<number> {
  const query = knex('clients').whereIn('clients.id', [...ids]);
  whereClientInScope(knex, query, scope, 'clients.id');
  return countRows(query);
}
