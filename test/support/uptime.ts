import { inTransaction } from '../../src/db/transaction.ts';
import type { World } from './world.ts';
import { unlimitedRequester } from '../../src/shared/requester.ts';

interface MonitorFields {
  active?: boolean;
  interval?: number;
  maxretries?: number;
  type?: string;
  method?: string;
  expected_status?: number[];
  keyword?: string;
}

/** Activates the monitors of all sites with these settings. */
export async function monitorAllSites(world: World, settings: MonitorFields = {}): Promise<void> {
  await world.request('PUT', '/api/v2/monitors/settings', { body: { active: true, ...settings } });
  const { knex } = world.container;
  await knex('monitors').insert(
    world.siteIds.filter(Boolean).map((site_id) => ({ site_id, state: 'first', next_check_at: 0 })),
  );
}

/** Makes these monitors due, or all. */
export async function makeChecksDue(world: World, ...siteIds: number[]): Promise<void> {
  const { knex } = world.container;
  const due = siteIds.length > 0 ? knex('monitors').whereIn('site_id', siteIds) : knex('monitors');
  await due.update({ next_check_at: 0 });
}

/** Checks the monitors that are due, as an item of a run does. */
export async function runDueChecks(world: World): Promise<void> {
  const { queue, knex, services } = world.container;
  const jobId = await inTransaction(knex, (scope) =>
    queue.enqueue(scope, services.uptime.checkMonitors, {
      input: {},
      items: [{ identifier: 1 }],
      requestedBy: unlimitedRequester('test'),
    }),
  );
  await world.finishedJob(jobId);
}

/** Returns alerts of one type, oldest first. */
export async function alertsOf<Facts>(world: World, type: string): Promise<{ site_id: number; facts: Facts }[]> {
  const rows = await world.container
    .knex('alerts')
    .where({ type })
    .orderBy('id')
    .select<{ site_id: number; facts: string }[]>('site_id', 'facts');
  return rows.map(({ site_id, facts }) => ({ site_id, facts: JSON.parse(facts) as Facts }));
}

/**
 * Computes the start and end of incidents by the rule: two failed attempts in a row start one, and a successful one
 * ends it.
 */
export function incidentsIn(attempts: readonly boolean[]) {
  const opened: number[] = [];
  const closed: number[] = [];
  let lost = 0;
  attempts.forEach((isUp, at) => {
    if (isUp && lost >= 2) closed.push(at);
    lost = isUp ? 0 : lost + 1;
    if (lost === 2) opened.push(at);
  });
  return { opened, closed, lost };
}
