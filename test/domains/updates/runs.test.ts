import assert from 'node:assert/strict';
import { ChangeLog } from '../../../src/domains/changes/index.ts';
import { BrokenSitesRepository } from '../../../src/domains/updates/broken-sites-repository.ts';
import { confirmOpenUpdates } from '../../../src/domains/updates/confirm-open-updates.ts';
import {
  VersionPinRepository,
  type SiteUpdateRunResult,
  type SiteUpdateSelection,
} from '../../../src/domains/updates/index.ts';
import { ChildRefusedError, ChildUnreachableError } from '../../../src/shared/child-call-errors.ts';
import { HELD_LEASE } from '../../support/jobs.ts';
import { UpdateBench } from './support.ts';

const ALL: SiteUpdateSelection = { types: [], slugs: [], complain: 'never' };
const connectionLost = () => new ChildUnreachableError('http', 'The connection was interrupted.', { outcome: 'open' });
const notSent = () => new ChildUnreachableError('connect', 'No connection.', { outcome: 'not_run' });
const siteFatal = () =>
  new ChildRefusedError('wordpress', 'site_fatal', 'It broke down.', { outcome: 'open', http_status: 500 });
const summary = ({ updated, errors }: SiteUpdateRunResult): string[] => [
  ...updated.map(({ slug, oldVersion, newVersion }) => `${slug} ${oldVersion}>${newVersion}`),
  ...errors.map(({ slug, code }) => `${slug} ${code}`),
];

describe('update run on a site', () => {
  let bench: UpdateBench;
  before(async () => {
    bench = await UpdateBench.open();
  });
  after(() => bench.testDatabase.close());
  beforeEach(() => bench.reset(['a', 'b', 'c']));

  const run = (item: { id: number; resumed: boolean } | null = null) =>
    bench.updater.run(bench.site.id, ALL, 'me', item && { ...item, lease: HELD_LEASE });

  describe('with a claimed result that differs from the disk', () => {
    const cases: [string, Parameters<UpdateBench['child']['scripts']['set']>[1], string][] = [
      ['success without a change', { becomes: 'nothing', claim: { version: '2.0' } }, 'a svc_update_failed'],
      ['a failure despite a change', { claim: { success: false } }, 'a 1.0>2.0'],
      ['a version newer than at the last sync', { becomes: '2.1' }, 'a 1.0>2.1'],
      ['an earlier version as the new one', { becomes: '1.9' }, 'a 1.0>1.9'],
      ['success but has an earlier version', { becomes: '1.9', claim: { version: '2.0' } }, 'a svc_update_failed'],
      ['no old version', { claim: { oldVersion: '' } }, 'a 1.0>2.0'],
    ];
    for (const [title, script, expected] of cases)
      it(`when the site reports ${title}, then the result is ${expected}`, async () => {
        bench.child.scripts.set('a', script);
        assert.deepEqual(
          summary(await run()).filter((each) => each.startsWith('a ')),
          [expected],
        );
      });
  });

  it('when updates are sent, then the state is read before and after them, and stored', async () => {
    assert.deepEqual(summary(await run()), ['a 1.0>2.0', 'b 1.0>2.0', 'c 1.0>2.0']);
    assert.deepEqual(bench.child.calls, ['stats', 'update a', 'update b', 'update c', 'stats']);
    assert.deepEqual(await bench.stored(), []);
    assert.deepEqual(
      await bench.changes(),
      ['A', 'B', 'C'].map((name) => `Updated the plugin ${name} from 1.0 to 2.0.`),
    );
  });

  it('when the site has installed an update since the last sync, then the run neither sends nor claims it', async () => {
    bench.child.versions.set('a', '2.0');
    bench.child.versions.set('b', '1.5');
    assert.deepEqual(summary(await run()), ['b 1.5>2.0', 'c 1.0>2.0']);
    assert.deepEqual(bench.child.calls, ['stats', 'update b', 'update c', 'stats']);
    assert.deepEqual(await bench.changes(), [
      'Updated the plugin B from 1.5 to 2.0.',
      'Updated the plugin C from 1.0 to 2.0.',
    ]);
    assert.deepEqual(await bench.stored(), []);
  });

  it('when an earlier run did not learn the outcome, then a later run that finds it installed logs it once', async () => {
    bench.child.scripts.set('a', { breaks: connectionLost(), becomes: 'nothing' });
    assert.ok(summary(await run()).includes('a svc_outcome_unknown'));
    bench.child.versions.set('a', '2.0');
    bench.child.calls = [];
    assert.deepEqual(summary(await run()), []);
    assert.ok(!bench.child.calls.includes('update a'));
    const updated = 'Updated the plugin A from 1.0 to 2.0.';
    assert.deepEqual(
      (await bench.changes()).filter((text) => text === updated),
      [updated],
    );
    const open = await bench.testDatabase.database.knex('open_updates').where({ site_id: bench.site.id });
    assert.deepEqual(open, []);
  });

  it('when an update of an earlier run has broken the site, then a later run finds it and sends nothing', async () => {
    bench.child.scripts.set('b', { breaks: connectionLost(), becomes: 'nothing' });
    assert.deepEqual(summary(await run()), ['a 1.0>2.0', 'c 1.0>2.0', 'b svc_outcome_unknown']);
    bench.child.versions.set('b', '2.0');
    bench.child.versions.set('c', '1.0');
    bench.pageStatus = 500;
    const sent = bench.child.calls.filter((call) => call.startsWith('update'));
    const { updated, health, errors } = await run();
    assert.deepEqual([updated, health?.state, health?.before, health?.after], [[], 'broken', 200, 500]);
    assert.deepEqual(
      errors.map(({ slug, reason }) => [slug, reason]),
      [['b', 'site_fatal']],
    );
    assert.deepEqual(
      bench.child.calls.filter((call) => call.startsWith('update')),
      sent,
    );
    const logged = (await bench.changes()).filter((text) => text.startsWith('Updated the plugin B from 1.0 to 2.0.'));
    assert.equal(logged.length, 1);
  });

  it('when a process dies during an update that ends even signed calls, then the next run marks the site', async () => {
    bench.child.scripts.set('a', { breaks: new Error('killed') });
    await assert.rejects(run(), /killed/);
    await bench.testDatabase.database.knex('site_leases').where({ site_id: bench.site.id }).delete();
    bench.child.statsError = siteFatal();
    bench.child.calls = [];
    const { updated, health } = await run();
    assert.deepEqual([updated, health?.state, health?.probe], [[], 'broken', 'signed_stats']);
    assert.deepEqual([...new Set(bench.child.calls)], ['stats']);
    const mark = await new BrokenSitesRepository(bench.testDatabase.database.knex).of(bench.site.id);
    assert.deepEqual(
      mark?.updates.map(({ slug }) => slug),
      ['a', 'b', 'c'],
    );
  });

  it('when a report shows the old version 20 minutes after an update was sent, then a later one is not ours', async () => {
    bench.child.scripts.set('a', { breaks: connectionLost(), becomes: 'nothing' });
    assert.ok(summary(await run()).includes('a svc_outcome_unknown'));
    const { knex } = bench.testDatabase.database;
    const confirm = confirmOpenUpdates({ clock: bench.clock, changeLog: new ChangeLog(bench.clock) });
    const reportAfter = async (minutes: number): Promise<number> => {
      bench.clock.time += minutes * 60_000;
      await knex.transaction((trx) => confirm.run(trx, new Map([[bench.site.id, bench.child.report()]])));
      return (await knex('open_updates').where({ site_id: bench.site.id })).length;
    };
    const before = await bench.changes();
    assert.equal(await reportAfter(19), 1);
    assert.equal(await reportAfter(2), 0);
    bench.child.versions.set('a', '2.0');
    await reportAfter(1);
    assert.deepEqual(await bench.changes(), before);
  });

  it('when a process dies during a run for one call, then the next run logs what it has installed, once', async () => {
    bench.child.scripts.set('b', { breaks: new Error('killed'), becomes: 'nothing' });
    await assert.rejects(run(), /killed/);
    bench.child.scripts.clear();
    bench.child.calls = [];
    await bench.testDatabase.database.knex('site_leases').where({ site_id: bench.site.id }).delete();
    assert.deepEqual(summary(await run()), ['b 1.0>2.0', 'c 1.0>2.0']);
    assert.ok(!bench.child.calls.includes('update a'));
    assert.deepEqual(
      await bench.changes(),
      ['A', 'B', 'C'].map((name) => `Updated the plugin ${name} from 1.0 to 2.0.`),
    );
  });

  it('when the site is deleted while the outcome of its update is unknown, then the error says so', async () => {
    const { knex } = bench.testDatabase.database;
    bench.child.scripts.set('a', { breaks: connectionLost(), becomes: 'nothing' });
    bench.child.onUpdate = () => knex('sites').where({ id: bench.site.id }).delete();
    await assert.rejects(run(), { code: 'svc_site_not_found' });
  });

  it('when the only update that was asked for is installed already, then it is an error, and the list is right', async () => {
    bench.child.versions.set('a', '2.0');
    const choice: SiteUpdateSelection = { types: ['plugin'], slugs: ['a'], complain: 'missing' };
    assert.deepEqual(summary(await bench.updater.run(bench.site.id, choice, 'me')), ['a svc_no_update']);
    assert.deepEqual([bench.child.calls, await bench.stored()], [['stats'], ['b', 'c']]);
  });

  it('when a call fails and the site still responds, then the run continues', async () => {
    bench.child.scripts.set('a', { breaks: connectionLost() });
    bench.child.scripts.set('b', { breaks: connectionLost(), becomes: 'nothing' });
    assert.deepEqual(summary(await run()), ['a 1.0>2.0', 'c 1.0>2.0', 'b svc_outcome_unknown']);
    assert.deepEqual(bench.child.calls, ['stats', 'update a', 'stats', 'update b', 'stats', 'update c', 'stats']);
  });

  it('when a call is not sent, then the run ends, earlier results stay and the site has no sync error', async () => {
    bench.child.scripts.set('b', { breaks: notSent(), becomes: 'nothing' });
    const result = await run();
    assert.deepEqual(summary(result), ['a 1.0>2.0', 'b svc_site_unreachable', 'c svc_site_unreachable']);
    assert.deepEqual(bench.child.calls, ['stats', 'update a', 'update b', 'stats']);
    const state = await bench.testDatabase.database
      .knex('site_states')
      .where({ site_id: bench.site.id })
      .first<{ sync_error_code: string | null }>('sync_error_code');
    assert.equal(state.sync_error_code, null);
  });

  it('when the first call is not sent, then the run throws', async () => {
    bench.child.scripts.set('a', { breaks: notSent(), becomes: 'nothing' });
    await assert.rejects(run(), ChildUnreachableError);
    assert.deepEqual(bench.child.calls, ['stats', 'update a']);
  });

  it('when the state cannot be read afterwards, then the outcome is unknown', async () => {
    bench.child.statsErrorAfterUpdate = notSent();
    assert.deepEqual(
      summary(await run()),
      ['a', 'b', 'c'].map((slug) => `${slug} svc_outcome_unknown`),
    );
    assert.deepEqual(await bench.changes(), []);
    assert.deepEqual(await bench.stored(), ['a', 'b', 'c']);
  });

  it('when the site reports updates and then fails, then the result says so, and nothing is logged', async () => {
    bench.child.statsErrorAfterUpdate = siteFatal();
    const { errors, open } = await run();
    assert.deepEqual(
      errors.map(({ slug, code, reason }) => [slug, code, reason]),
      ['a', 'b', 'c'].map((slug) => [slug, 'svc_site_refused', 'site_fatal']),
    );
    assert.deepEqual(open, []);
    assert.deepEqual(await bench.changes(), []);
  });

  it('when an active plugin breaks the site with HTTP 500, then the run stops, whatever the settings', async () => {
    bench.child.active.add('b');
    bench.pageStatus = 500;
    const result = await run();
    const errors = ['b svc_site_refused', 'c svc_site_refused'];
    assert.deepEqual(summary(result), ['a 1.0>2.0', 'b 1.0>2.0', ...errors]);
    assert.deepEqual(bench.child.calls, ['stats', 'update a', 'update b', 'stats']);
    assert.equal(result.errors[0]?.reason, 'site_fatal');
    assert.deepEqual(
      (await bench.changes()).map((text) => text.includes('Since then, the site answers with HTTP 500.')),
      [false, true],
    );
  });

  it('when the site gives a reason, then the error has that reason, also for a plugin that is gone', async () => {
    const claim = { success: false, oldVersion: '1.0', version: '' };
    const told = { errorCode: 'remove_old_failed', message: 'Could not remove the old plugin.', rolledBack: true };
    bench.child.scripts.set('a', { becomes: 'gone', claim: { ...claim, ...told } });
    bench.child.scripts.set('b', { becomes: 'nothing', claim: { ...claim, version: '1.0', errorCode: 'no_package' } });
    const { errors, updated } = await run();
    assert.deepEqual(
      updated.map(({ slug }) => slug),
      ['c'],
    );
    assert.deepEqual(
      errors.map(({ slug, code, reason, child_message: words }) => [slug, code, reason, words]),
      [
        ['a', 'svc_update_failed', 'remove_old_failed', 'Could not remove the old plugin.'],
        ['b', 'svc_update_failed', 'no_package', undefined],
      ],
    );
    assert.match(errors[0]?.message ?? '', /The plugin no longer exists on the site\./);
    assert.deepEqual(
      (await bench.changes()).filter((text) => text.includes('no longer exists')),
      ['The update of the plugin A failed, and it no longer exists on the site.'],
    );
    assert.deepEqual(await bench.stored(), ['b']);
  });

  it('when the core may still be updating, then no further update is sent', async () => {
    await bench.reset(['a']);
    bench.child.core = { version: '7.0', update: '7.1' };
    await bench.sync.store(bench.site, bench.child.report(), { complete: false });
    bench.child.scripts.set('wordpress', { breaks: connectionLost(), becomes: 'nothing' });
    const { errors } = await run();
    assert.deepEqual(
      errors.map(({ slug, code, reason }) => [slug, code, reason]),
      [
        ['wordpress', 'svc_outcome_unknown', undefined],
        ['a', 'svc_update_failed', 'locked'],
      ],
    );
    assert.deepEqual(bench.child.calls, ['stats', 'update wordpress', 'stats']);
  });

  it('when another run installs an update that is open, then the change log has one entry', async () => {
    const id = await bench.item();
    bench.child.scripts.set('a', { breaks: connectionLost(), becomes: 'nothing' });
    assert.deepEqual(summary(await run({ id, resumed: false })), ['b 1.0>2.0', 'c 1.0>2.0', 'a svc_outcome_unknown']);
    bench.child.scripts.clear();
    assert.deepEqual(summary(await run()), ['a 1.0>2.0']);
    assert.deepEqual(summary(await run({ id, resumed: true })), ['b 1.0>2.0', 'c 1.0>2.0', 'a 1.0>2.0']);
    assert.deepEqual(
      await bench.changes(),
      ['B', 'C', 'A'].map((name) => `Updated the plugin ${name} from 1.0 to 2.0.`),
    );
  });

  it('when an outcome is open, then the next attempt of the item reads the state and sends nothing', async () => {
    const id = await bench.item();
    bench.child.scripts.set('a', { breaks: connectionLost(), becomes: 'nothing' });
    const first = await run({ id, resumed: false });
    assert.deepEqual(summary(first), ['b 1.0>2.0', 'c 1.0>2.0', 'a svc_outcome_unknown']);
    assert.deepEqual(
      first.open.map(({ slug }) => slug),
      ['a'],
    );
    bench.child.calls = [];
    bench.child.statsError = new ChildRefusedError('http', 'blocked', 'Maintenance.', { http_status: 503 });
    assert.deepEqual(summary(await run({ id, resumed: true })), summary(first));
    bench.child.statsError = null;
    bench.child.versions.set('a', '2.0');
    const last = await run({ id, resumed: true });
    assert.deepEqual([summary(last), last.open], [['b 1.0>2.0', 'c 1.0>2.0', 'a 1.0>2.0'], []]);
    assert.deepEqual(bench.child.calls, ['stats', 'stats']);
    assert.deepEqual(await bench.stored(), []);
    assert.deepEqual(
      await bench.changes(),
      ['B', 'C', 'A'].map((name) => `Updated the plugin ${name} from 1.0 to 2.0.`),
    );
  });

  describe('that offers an earlier version than the installed one', () => {
    beforeEach(async () => {
      bench.child.offers.set('b', '0.9');
      await bench.sync.store(bench.site, bench.child.report(), { complete: false });
    });

    it('when the update is refused, then it has an error', async () => {
      bench.child.scripts.set('b', { breaks: siteFatal(), becomes: 'nothing' });
      assert.deepEqual(summary(await run()), ['a 1.0>2.0', 'c 1.0>2.0', 'b svc_update_failed']);
    });

    it('when an interrupted attempt did not reach that update, then it is still sent', async () => {
      const id = await bench.item();
      bench.child.scripts.set('a', { breaks: new Error('killed') });
      await assert.rejects(run({ id, resumed: false }), /killed/);
      bench.child.scripts.clear();
      bench.child.scripts.set('b', { becomes: '0.9' });
      bench.child.calls = [];
      assert.deepEqual(summary(await run({ id, resumed: true })), ['a 1.0>2.0', 'b 1.0>0.9', 'c 1.0>2.0']);
      assert.deepEqual(bench.child.calls, ['stats', 'update b', 'update c', 'stats']);
    });
  });

  describe('with one update that the site refuses', () => {
    const killed = new Error('killed');
    const moments: [string, () => void, string[]][] = [
      [
        'before it is sent',
        () => bench.child.scripts.set('b', { breaks: killed, becomes: 'nothing' }),
        ['stats', 'update b', 'stats', 'update c', 'stats'],
      ],
      [
        'between the answer and the reading of the state',
        () => (bench.child.statsErrorAfterUpdate = killed),
        ['stats', 'update b', 'stats', 'update c', 'stats'],
      ],
      [
        'between the outcome and the storing of the state',
        () => (bench.sync.store = () => Promise.reject(killed)),
        ['stats'],
      ],
    ];
    for (const [moment, kill, sent] of moments)
      it(`when the run is killed ${moment}, then each update has one result`, async () => {
        const id = await bench.item();
        bench.child.scripts.set('b', { breaks: siteFatal(), becomes: 'nothing' });
        const store = bench.sync.store.bind(bench.sync);
        kill();
        await assert.rejects(run({ id, resumed: false }), /killed/);
        bench.sync.store = store;
        bench.child.statsErrorAfterUpdate = null;
        bench.child.scripts.set('b', { breaks: siteFatal(), becomes: 'nothing' });
        bench.child.calls = [];
        assert.deepEqual(summary(await run({ id, resumed: true })), ['a 1.0>2.0', 'c 1.0>2.0', 'b svc_update_failed']);
        assert.deepEqual(bench.child.calls, sent);
        assert.deepEqual(await bench.stored(), ['b']);
        assert.equal((await bench.changes()).length, 2);
      });
  });

  describe('that is resumed', () => {
    /** The process dies during the second update. The first one is done, and no result is stored. */
    async function interrupted(doneAfterAll: boolean): Promise<number> {
      const id = await bench.item();
      bench.child.scripts.set('b', { breaks: new Error('killed'), ...(doneAfterAll ? {} : { becomes: 'nothing' }) });
      await assert.rejects(run({ id, resumed: false }), /killed/);
      assert.deepEqual(await bench.changes(), []);
      bench.child.scripts.clear();
      bench.child.calls = [];
      return id;
    }

    it('when the state can be read, then finished updates are recorded and the others are sent', async () => {
      const id = await interrupted(false);
      assert.deepEqual(summary(await run({ id, resumed: true })), ['a 1.0>2.0', 'b 1.0>2.0', 'c 1.0>2.0']);
      assert.deepEqual(bench.child.calls, ['stats', 'update b', 'update c', 'stats']);
      assert.equal((await bench.changes()).length, 3);
    });

    it('when the site offers versions outside of a pin meanwhile, then they are skipped and no longer open', async () => {
      const id = await interrupted(false);
      const { knex } = bench.testDatabase.database;
      const pins = new VersionPinRepository(knex);
      const pin = { site: bench.site, type: 'plugin', note: '', createdBy: 'me' } as const;
      for (const slug of ['b', 'c']) {
        await pins.insert({ ...pin, slug, name: slug, version: '<=2.0' }, 1);
        bench.child.offers.set(slug, '3.0');
      }
      const resumed = await run({ id, resumed: true });
      assert.deepEqual(summary(resumed), ['a 1.0>2.0']);
      assert.deepEqual(
        resumed.skipped.map(({ slug, newVersion, leftOut }) => [slug, newVersion, leftOut.reason]),
        ['b', 'c'].map((slug) => [slug, '3.0', 'pinned']),
      );
      assert.deepEqual(bench.child.calls, ['stats']);
      assert.deepEqual(await knex('open_updates').where({ site_id: bench.site.id }), []);
    });

    it('when another run has logged finished updates meanwhile, then they are not logged again', async () => {
      const id = await interrupted(false);
      const lease = { site_id: bench.site.id, purpose: 'update', holder: 'dead', leased_until: 1 };
      await bench.testDatabase.database.knex('site_leases').insert(lease);
      assert.deepEqual(summary(await run()), ['b 1.0>2.0', 'c 1.0>2.0']);
      assert.deepEqual(summary(await run({ id, resumed: true })), ['a 1.0>2.0', 'b 1.0>2.0', 'c 1.0>2.0']);
      assert.equal((await bench.changes()).length, 3);
    });

    it('when a sync ran in between, then finished updates are not sent again', async () => {
      const id = await interrupted(true);
      await bench.sync.store(bench.site, bench.child.report(), { complete: true });
      assert.deepEqual(summary(await run({ id, resumed: true })), ['a 1.0>2.0', 'b 1.0>2.0', 'c 1.0>2.0']);
      assert.deepEqual(bench.child.calls, ['stats', 'update c', 'stats']);
    });

    it('when the state cannot be read, then nothing is sent', async () => {
      const id = await interrupted(true);
      bench.child.statsError = connectionLost();
      assert.deepEqual(
        summary(await run({ id, resumed: true })),
        ['a', 'b', 'c'].map((slug) => `${slug} svc_outcome_unknown`),
      );
      assert.deepEqual(bench.child.calls, ['stats']);
    });

    it('when only the job item has no outcome, then the recorded outcome is used and nothing is logged twice', async () => {
      const id = await bench.item();
      bench.child.scripts.set('b', { becomes: 'nothing' });
      const first = summary(await run({ id, resumed: false }));
      bench.child.calls = [];
      assert.deepEqual(summary(await run({ id, resumed: true })), first);
      assert.deepEqual(bench.child.calls, ['stats']);
      assert.equal((await bench.changes()).length, 2);
    });

    it('when the earlier attempt had not started, then the state is read and all updates are sent', async () => {
      const id = await bench.item();
      assert.equal((await run({ id, resumed: true })).updated.length, 3);
      assert.deepEqual(bench.child.calls, ['stats', 'update a', 'update b', 'update c', 'stats']);
    });
  });
});
