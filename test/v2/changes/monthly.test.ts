import assert from 'node:assert/strict';
import { refusedFields } from '../../support/refusals.ts';
import { editSettings, ManualClock, runSchedule } from '../../support/schedules.ts';
import { startWorld, type World } from '../../support/world.ts';

const NOW = '2026-11-22T08:00:00Z';

interface Count {
  month: string;
  type: string;
  source: string;
  count: number;
}

describe('v2 changes by month', () => {
  let world: World;
  let clock: ManualClock;
  let id: number;
  beforeEach(async () => {
    clock = new ManualClock(NOW);
    world = await startWorld({ sites: 2, overrides: { tickMs: null, clock } });
    id = world.siteId(0);
    await world.container.database.knex('changes').delete();
  });
  afterEach(() => world.close());

  const entry = (type: string, at: string, source = 'dashboard', siteId = id) => ({
    site_id: siteId,
    source,
    external_id: source === 'dashboard' ? null : `${type} ${at}`,
    type,
    description: type,
    actor: 'ann',
    at: Date.parse(at),
  });
  const log = async (...entries: ReturnType<typeof entry>[]): Promise<void> =>
    void (await world.container.database.knex('changes').insert(entries));
  const counts = async (query = ''): Promise<string[]> => {
    const { body } = await world.request<{ data: Count[] }>(
      'GET',
      `/api/v2/sites/${id}/non-svc-changes/monthly${query}`,
    );
    return body.data.map(({ month, type, source, count }) => `${month} ${type} ${source} ${count}`);
  };
  const prune = (): Promise<unknown> => runSchedule(world, 'retention');
  const kept = async (): Promise<number> => {
    const path = `/api/v2/sites/${id}/non-svc-changes?source=all`;
    return (await world.request<{ total: number }>('GET', path)).body.total;
  };

  it('when there are changes, then they are counted by month, type and source, newest first', async () => {
    await log(
      entry('plugin.updated', '2026-10-31T23:59:59Z'),
      entry('plugin.updated', '2026-11-01T00:00:00Z'),
      entry('plugin.updated', '2026-11-20T00:00:00Z'),
      entry('plugin.updated', '2026-11-20T00:00:00Z', 'child_changes'),
      entry('plugin.updated', '2026-11-20T00:00:00Z', 'child_actions'),
      entry('post.updated', '2025-12-01T00:00:00Z'),
      entry('post.updated', '2025-11-30T23:59:59Z'),
      entry('post.updated', '2026-11-21T00:00:00Z', 'dashboard', world.siteId(1)),
    );
    const year = [
      '2026-11 plugin.updated wpadmin 2',
      '2026-11 plugin.updated dashboard 2',
      '2026-10 plugin.updated dashboard 1',
      '2025-12 post.updated dashboard 1',
    ];
    assert.deepEqual(await counts(), year);
    assert.deepEqual(await counts('?from=2025-11&to=2025-12'), [
      '2025-12 post.updated dashboard 1',
      '2025-11 post.updated dashboard 1',
    ]);
  });

  it('when the retention of changes is over, then entries are deleted and the monthly counts are kept', async () => {
    await editSettings(world, 'general', { svc_changes_retention_days: 30 });
    await world.container.database.knex('changes').delete();
    const old = Array.from({ length: 1203 }, (_, n) =>
      entry(`plugin.${n % 2 ? 'updated' : 'deleted'}`, '2026-10-02T08:00:00Z'),
    );
    for (let at = 0; at < old.length; at += 100) await log(...old.slice(at, at + 100));
    await log(entry('plugin.updated', '2026-10-23T08:00:01Z'), entry('plugin.updated', '2026-11-02T08:00:00Z'));
    const before = await counts();
    assert.deepEqual(before, [
      '2026-11 plugin.updated dashboard 1',
      '2026-10 plugin.deleted dashboard 602',
      '2026-10 plugin.updated dashboard 602',
    ]);
    await prune();
    assert.equal(await kept(), 2);
    assert.deepEqual(await counts(), before);
    clock.set('2026-12-22T08:00:00Z');
    await prune();
    assert.equal(await kept(), 0);
    assert.deepEqual(await counts(), before);
  });

  it('when a child plugin reports a deleted change again, then the change is not counted twice', async () => {
    await editSettings(world, 'general', { svc_changes_retention_days: 1 });
    world.site(0).performWpAdminAction({ do: 'install-plugin', folder: 'alpha' });
    await world.request('POST', `/api/v2/sites/${id}/sync`);
    clock.set(new Date(Date.now() + 3 * 86_400_000).toISOString());
    await prune();
    const told = await counts('?to=2027-06');
    assert.notDeepEqual(told, []);
    await world.container.database.knex('site_states').update({ actions_cursor: 0, changes_cursor: 0 });
    await world.request('POST', `/api/v2/sites/${id}/sync`);
    await prune();
    assert.deepEqual(await counts('?to=2027-06'), told);
  });

  it('when months are invalid, then the error names the field', async () => {
    const refused = (query: string): Promise<string[]> =>
      refusedFields(world, 'GET', `/api/v2/sites/${id}/non-svc-changes/monthly?${query}`);
    for (const query of ['from=2026-12', 'from=2016-11', 'from=2026-11&to=2026-10'])
      assert.deepEqual(await refused(query), ['query.from']);
    for (const query of ['to=2026-13', 'to=2026-1']) assert.deepEqual(await refused(query), ['query.to']);
    assert.equal((await counts('?from=2016-12')).length, 0);
  });
});
