import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { recordStatements } from '../../support/database.ts';
import { deleteSite, seedSite } from '../../support/sites.ts';
import { withWorld, type World } from '../../support/world.ts';

describe('deletion of a site with a long history', () => {
  let world: World;
  let knex: Knex;
  withWorld({}, (started) => {
    world = started;
    knex = world.container.database.knex;
  });

  const countChanges = async (siteId: number): Promise<number> =>
    (await knex('changes').where({ site_id: siteId }).pluck('id')).length;

  const seedHistory = async (count: number): Promise<number> => {
    const { id } = await seedSite(world, { status: 'disconnected' });
    const change = { site_id: id, source: 'dashboard', type: 'plugin.updated', description: '', actor: 'ann' };
    const rows = Array.from({ length: count }, (_, at) => ({ ...change, at }));
    for (let start = 0; start < count; start += 100) await knex('changes').insert(rows.slice(start, start + 100));
    return id;
  };

  it('when it is deleted, then no transaction deletes more than 500 changes', async () => {
    const id = await seedHistory(1_620);
    const statements = await recordStatements(knex, () => deleteSite(world, id));
    const steps = statements.flatMap((sql) => /^(commit|delete from .(?:changes|sites))/i.exec(sql)?.[1] ?? []);
    const first = steps.findIndex((step) => step.endsWith('changes'));
    const [, commit] = steps.slice(first);
    const words = steps.slice(first).map((step) => (step === commit ? 'commit' : step.replace(/[`"]/, '')));
    const part = ['delete from changes', 'commit'];
    assert.deepEqual(words.slice(0, 7), [...part, ...part, ...part, 'delete from sites']);
    assert.equal(await countChanges(id), 0);
    assert.equal(await knex('sites').where({ id }).first('id'), undefined);
  });

  it('when the deletion is interrupted, then the site exists and can be deleted again', async () => {
    const id = await seedHistory(1_620);
    let deletions = 0;
    const interrupt = ({ sql }: { sql: string }): void => {
      if (/^delete from .changes/.test(sql) && ++deletions === 2) throw new Error('The process has died.');
    };
    knex.on('query', interrupt);
    await assert.rejects(deleteSite(world, id));
    knex.off('query', interrupt);
    assert.equal(await countChanges(id), 1_120);
    await deleteSite(world, id);
    assert.equal(await knex('sites').where({ id }).first('id'), undefined);
  });

  it('when the precondition is not met, then no change is deleted', async () => {
    const id = await seedHistory(600);
    const headers = { 'if-match': '"another"' };
    await world.request('DELETE', `/api/v2/sites/${id}/remove`, { expect: 412, headers });
    assert.equal(await countChanges(id), 600);
  });

  const seedRecords = async (): Promise<number> => {
    const { id } = await seedSite(world, { status: 'disconnected' });
    const seed = (table: string, rowAt: (at: number) => object): Promise<unknown> =>
      knex.batchInsert(
        table,
        Array.from({ length: 1_100 }, (_, at) => rowAt(at)),
        100,
      );
    await seed('heartbeat_days', (day) => ({ site_id: id, day, beats: '' }));
    await seed('monitor_days', (day) => ({ site_id: id, day, up: 1, down: 0, hours: '' }));
    await seed('monitor_spans', (at) => ({ site_id: id, kind: 'watched', started_at: at, ended_at: at + 1 }));
    await seed('incidents', (at) => ({
      site_id: id,
      started_at: at,
      ended_at: at,
      down_count: 1,
      cause: '',
      beat: '',
    }));
    await seed('time_tasks', (at) => ({
      ...{ site_id: id, site_url: '', title: `Task ${at}`, title_key: `task ${at}`, description: '', client_name: '' },
      ...{ status: 'paused', payment_status: 'unbilled', timer_mode: 'count_up', billable: 1, task_date: '2026-01-01' },
      ...{ recorded_seconds: 0, latest_at: 0, operator: 'ann', revision: 1, created_at: 0, updated_at: 0 },
    }));
    return id;
  };
  const TABLES = ['heartbeat_days', 'monitor_days', 'monitor_spans', 'incidents', 'time_tasks'];
  const countRecords = (siteId: number): Promise<number[]> =>
    Promise.all(TABLES.map(async (table) => (await knex(table).where({ site_id: siteId }).pluck('site_id')).length));

  it('when it has many spans, incidents and tasks, then no statement changes more than 500 of them', async () => {
    const id = await seedRecords();
    const statements = await recordStatements(knex, () => deleteSite(world, id));
    const last = statements.findIndex((sql) => /^delete from .sites/.test(sql));
    const changed = statements.slice(0, last).flatMap((sql) => /^(?:delete|update).*?`(\w+)`/.exec(sql)?.[1] ?? []);
    const parts = TABLES.map((table) => changed.filter((name) => name === table).length);
    assert.deepEqual(parts, [3, 3, 3, 3, 3]);
    assert.deepEqual(await countRecords(id), [0, 0, 0, 0, 0]);
    assert.equal((await knex('time_tasks').where('title', 'like', 'Task %').pluck('id')).length, 1_100);
  });

  it('when the deletion of the record fails, then its spans, incidents and tasks are kept', async () => {
    const id = await seedRecords();
    const interrupt = ({ sql }: { sql: string }): void => {
      if (/^delete from .sites/.test(sql)) throw new Error('The process has died.');
    };
    knex.on('query', interrupt);
    await assert.rejects(deleteSite(world, id));
    knex.off('query', interrupt);
    assert.deepEqual(await countRecords(id), [1_100, 1_100, 1_100, 1_100, 1_100]);
  });
});
