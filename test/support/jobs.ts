import assert from 'node:assert/strict';
import type { Lease } from '../../src/db/lease.ts';
import { identifierFrom, type LeasedItem } from '../../src/queue/index.ts';
import { until } from './until.ts';
import type { World } from './world.ts';

/** Lease of an item that no other process takes. */
export const HELD_LEASE = { confirm: () => Promise.resolve(() => true), lock: () => Promise.resolve() };

export interface ListedJob {
  job_id: string;
  type: string;
  status: string;
  processed: number;
  failed: number;
  requested_by: string;
}

/** Returns the newest job, of this type or of any, as in the list. */
export async function newestJob(world: World, type?: string): Promise<ListedJob> {
  const { body } = await world.request('GET', `/api/v2/jobs?per_page=1${type === undefined ? '' : `&type=${type}`}`);
  return body.data[0];
}

/**
 * Performs the items of a finished job a second time, as after the death of a process that had not yet stored their
 * results. Returns the second results, which are not stored.
 */
export async function repeatItems(world: World, jobId: string, lease: Lease = HELD_LEASE): Promise<unknown[]> {
  const { knex } = world.container.database;
  const job = (await knex('jobs').where({ id: jobId }).first('kind', 'input')) ?? assert.fail(`No job ${jobId}.`);
  const kind = world.container.queue.kinds.find(({ name }) => name === job.kind) ?? assert.fail(job.kind);
  const rows = await knex('job_items').where({ job_id: jobId }).orderBy('position');
  const results: unknown[] = [];
  for (const { id, position, site_id: siteId, identifier } of rows) {
    const item: LeasedItem = {
      ...{ id, jobId, kind: job.kind, position, siteId, identifier: identifierFrom(identifier) },
      ...{ attempt: 2, input: JSON.parse(job.input), requestedBy: 'test', owner: null, result: null },
      ...{ isOnlyItem: rows.length === 1, isLeased: () => true },
    };
    const { signal } = new AbortController();
    results.push(await kind.perform({ item, signal, lease, resumed: true }));
  }
  return results;
}

/**
 * Cancels the newest job of a type while one of its items waits for a later attempt. `beforeIt` gets the job ID, and
 * runs after the cancellation and before that attempt. Returns the ended job.
 */
export async function cancelPostponed(
  world: World,
  type: string,
  beforeIt: (jobId: string) => unknown,
): ReturnType<World['finishedJob']> {
  const { knex } = world.container.database;
  const postponed = () => knex('job_items').where({ kind: type, 'job_items.state': 'waiting' });
  const ids = async (): Promise<number[]> =>
    postponed().join('jobs', 'jobs.id', 'job_items.job_id').whereNotNull('end_state').pluck('job_items.id');
  await until(async () => (await ids()).length > 0, 'an item to be postponed', 30_000);
  const held = await knex('job_items')
    .whereIn('id', await ids())
    .where({ state: 'waiting' })
    .update({ not_before: 8e15 });
  assert.equal(held, 1);
  const { job_id } = await newestJob(world, type);
  await world.request('DELETE', `/api/v2/jobs/${job_id}`);
  await beforeIt(job_id);
  await knex('job_items').where({ job_id, state: 'waiting' }).update({ not_before: 0 });
  return world.finishedJob(job_id);
}

/** Returns the newest job with its items and errors. */
export const readNewestJob = async (world: World, type?: string) =>
  (await world.request('GET', `/api/v2/jobs/${(await newestJob(world, type)).job_id}`)).body;
