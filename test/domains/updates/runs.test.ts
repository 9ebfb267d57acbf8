import assert from 'node:assert/strict';
import type { SiteRun, UpdateChoice } from '../../../src/domains/updates/index.ts';
import { ChildRefusedError, ChildUnreachableError } from '../../../src/shared/errors.ts';
import { UpdateBench } from './support.ts';

const ALL: UpdateChoice = { types: [], slugs: [], complain: 'never' };
const lost = () => new ChildUnreachableError('http', 'The connection broke off.', { outcome: 'open' });
const unsent = () => new ChildUnreachableError('connect', 'No connection.', { outcome: 'not_run' });
const fatal = () =>
  new ChildRefusedError('wordpress', 'site_fatal', 'It broke down.', { outcome: 'open', http_status: 500 });
const summary = ({ updated, errors }: SiteRun): string[] => [
  ...updated.map(({ slug, oldVersion, newVersion }) => `${slug} ${oldVersion}>${newVersion}`),
  ...errors.map(({ slug, code }) => `${slug} ${code}`),
];

describe('a run of updates on a site', () => {
  let bench: UpdateBench;
  before(async () => {
    bench = await UpdateBench.open();
  });
  after(() => bench.opened.close());
  beforeEach(() => bench.reset(['a', 'b', 'c']));

  const run = (item: { id: number; resumed: boolean } | null = null) =>
    bench.updater.run(bench.site.id, ALL, 'me', item);

  describe('believes the disk, not the claim', () => {
    const cases: [string, Parameters<UpdateBench['child']['scripts']['set']>[1], string][] = [
      ['a claim without a change', { becomes: 'nothing', claim: { version: '2.0' } }, 'a svc_update_failed'],
      ['a change without a claim', { claim: { success: false } }, 'a 1.0>2.0'],
      ['a version that came out since the last sync', { becomes: '2.1' }, 'a 1.0>2.1'],
      ['an earlier version, named by the site', { becomes: '1.9' }, 'a 1.0>1.9'],
      [
        'an earlier version that the site does not name',
        { becomes: '1.9', claim: { version: '2.0' } },
        'a svc_update_failed',
      ],
      ['one that was current already', { claim: { oldVersion: '' } }, 'a 1.0>2.0'],
    ];
    for (const [title, script, expected] of cases)
      it(title, async () => {
        bench.child.scripts.set('a', script);
        assert.deepEqual(
          summary(await run()).filter((each) => each.startsWith('a ')),
          [expected],
        );
      });
  });

  it('reads the state once, at the end, and stores it', async () => {
    assert.deepEqual(summary(await run()), ['a 1.0>2.0', 'b 1.0>2.0', 'c 1.0>2.0']);
    assert.deepEqual(bench.child.calls, ['update a', 'update b', 'update c', 'stats']);
    assert.deepEqual(await bench.stored(), []);
    assert.deepEqual(
      await bench.changes(),
      ['A', 'B', 'C'].map((name) => `Updated the plugin ${name} from 1.0 to 2.0.`),
    );
  });

  it('goes on after a call that broke when the site still answers', async () => {
    bench.child.scripts.set('a', { breaks: lost() });
    bench.child.scripts.set('b', { breaks: lost(), becomes: 'nothing' });
    assert.deepEqual(summary(await run()), ['a 1.0>2.0', 'c 1.0>2.0', 'b svc_outcome_unknown']);
    assert.deepEqual(bench.child.calls, ['update a', 'stats', 'update b', 'stats', 'update c', 'stats']);
  });

  it('ends with a call that did not get through; what was done before it stands, and the site has the error', async () => {
    bench.child.scripts.set('b', { breaks: unsent(), becomes: 'nothing' });
    const result = await run();
    assert.deepEqual(summary(result), ['a 1.0>2.0', 'b svc_site_unreachable', 'c svc_site_unreachable']);
    assert.deepEqual(bench.child.calls, ['update a', 'update b', 'stats']);
    const state = await bench.opened.database
      .knex('site_states')
      .where({ site_id: bench.site.id })
      .first<{ sync_error_code: string }>('sync_error_code');
    assert.equal(state.sync_error_code, 'svc_site_unreachable');
  });

  it('throws when the first call did not get through', async () => {
    bench.child.scripts.set('a', { breaks: unsent(), becomes: 'nothing' });
    await assert.rejects(run(), ChildUnreachableError);
    assert.deepEqual(bench.child.calls, ['update a']);
  });

  it('does not say done where the state could not be read', async () => {
    bench.child.statsError = unsent();
    assert.deepEqual(
      summary(await run()),
      ['a', 'b', 'c'].map((slug) => `${slug} svc_outcome_unknown`),
    );
    assert.deepEqual(await bench.changes(), []);
    assert.deepEqual(await bench.stored(), ['a', 'b', 'c']);
  });

  it('says of what the site claims before it dies that it broke the site, there and in the log', async () => {
    bench.child.statsError = fatal();
    const { errors, open } = await run();
    assert.deepEqual(
      errors.map(({ slug, code, reason }) => [slug, code, reason]),
      ['a', 'b', 'c'].map((slug) => [slug, 'svc_site_refused', 'site_fatal']),
    );
    assert.deepEqual(open, []);
    assert.match(
      (await bench.changes())[0] ?? '',
      /^Updated the plugin A from 1\.0 to 2\.0, as the site says, .* HTTP 500/,
    );
  });

  it('looks at the site once when something in use was updated, and says when that answers 500', async () => {
    bench.child.active.add('b');
    bench.pageStatus = 500;
    const result = await run();
    assert.deepEqual(summary(result), ['a 1.0>2.0', 'b 1.0>2.0', 'c 1.0>2.0', 'b svc_site_refused']);
    assert.equal(result.errors[0]?.reason, 'site_fatal');
    assert.deepEqual(
      (await bench.changes()).map((text) => text.includes('The site answers with HTTP 500 since.')),
      [false, true, false],
    );
  });

  it('gives the reason of the site, and says when its plugin is gone', async () => {
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
    assert.match(errors[0]?.message ?? '', /The plugin is gone from the site\./);
    assert.deepEqual(
      (await bench.changes()).filter((text) => text.includes('gone')),
      ['The update of the plugin A failed, and it is gone from the site.'],
    );
    assert.deepEqual(await bench.stored(), ['b']);
  });

  it('sends nothing more while the core may still be replaced', async () => {
    await bench.reset(['a']);
    bench.child.core = { version: '7.0', update: '7.1' };
    await bench.sync.store(bench.site, bench.child.report(), { complete: false });
    bench.child.scripts.set('wordpress', { breaks: lost(), becomes: 'nothing' });
    const { errors } = await run();
    assert.deepEqual(
      errors.map(({ slug, code, reason }) => [slug, code, reason]),
      [
        ['wordpress', 'svc_outcome_unknown', undefined],
        ['a', 'svc_update_failed', 'locked'],
      ],
    );
    assert.deepEqual(bench.child.calls, ['update wordpress', 'stats']);
  });

  it('leaves what is open to a further attempt of its item, which looks and sends nothing', async () => {
    const id = await bench.item();
    bench.child.scripts.set('a', { breaks: lost(), becomes: 'nothing' });
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

    it('has an error when it is refused', async () => {
      bench.child.scripts.set('b', { breaks: fatal(), becomes: 'nothing' });
      assert.deepEqual(summary(await run()), ['a 1.0>2.0', 'c 1.0>2.0', 'b svc_update_failed']);
    });

    it('is not taken for done when an interrupted attempt has not come to it', async () => {
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

  describe('of which the site refuses one update, killed', () => {
    const killed = new Error('killed');
    const moments: [string, () => void, string[]][] = [
      [
        'before it is sent',
        () => bench.child.scripts.set('b', { breaks: killed, becomes: 'nothing' }),
        ['stats', 'update b', 'stats', 'update c', 'stats'],
      ],
      [
        'between the answer and the reading of the state',
        () => (bench.child.statsError = killed),
        ['stats', 'update b', 'stats', 'update c', 'stats'],
      ],
      [
        'between the outcome and the storing of the state',
        () => (bench.sync.store = () => Promise.reject(killed)),
        ['stats'],
      ],
    ];
    for (const [moment, kill, sent] of moments)
      it(`${moment}, has one result for each item`, async () => {
        const id = await bench.item();
        bench.child.scripts.set('b', { breaks: fatal(), becomes: 'nothing' });
        const store = bench.sync.store.bind(bench.sync);
        kill();
        await assert.rejects(run({ id, resumed: false }), /killed/);
        bench.sync.store = store;
        bench.child.statsError = null;
        bench.child.scripts.set('b', { breaks: fatal(), becomes: 'nothing' });
        bench.child.calls = [];
        assert.deepEqual(summary(await run({ id, resumed: true })), ['a 1.0>2.0', 'c 1.0>2.0', 'b svc_update_failed']);
        assert.deepEqual(bench.child.calls, sent);
        assert.deepEqual(await bench.stored(), ['b']);
        assert.equal((await bench.changes()).length, 2);
      });
  });

  describe('that is resumed', () => {
    /** The process dies within the second update: the first is done, the second is under way, nothing is recorded. */
    async function interrupted(doneAfterAll: boolean): Promise<number> {
      const id = await bench.item();
      bench.child.scripts.set('b', { breaks: new Error('killed'), ...(doneAfterAll ? {} : { becomes: 'nothing' }) });
      await assert.rejects(run({ id, resumed: false }), /killed/);
      assert.deepEqual(await bench.changes(), []);
      bench.child.scripts.clear();
      bench.child.calls = [];
      return id;
    }

    it('looks first, records what is done, and sends once more what is not', async () => {
      const id = await interrupted(false);
      assert.deepEqual(summary(await run({ id, resumed: true })), ['a 1.0>2.0', 'b 1.0>2.0', 'c 1.0>2.0']);
      assert.deepEqual(bench.child.calls, ['stats', 'update b', 'update c', 'stats']);
      assert.equal((await bench.changes()).length, 3);
    });

    it('does not send what turned out to be done, though a sync has come in between', async () => {
      const id = await interrupted(true);
      await bench.sync.store(bench.site, bench.child.report(), { complete: true });
      assert.deepEqual(summary(await run({ id, resumed: true })), ['a 1.0>2.0', 'b 1.0>2.0', 'c 1.0>2.0']);
      assert.deepEqual(bench.child.calls, ['stats', 'update c', 'stats']);
    });

    it('sends nothing where it cannot look', async () => {
      const id = await interrupted(true);
      bench.child.statsError = lost();
      assert.deepEqual(
        summary(await run({ id, resumed: true })),
        ['a', 'b', 'c'].map((slug) => `${slug} svc_outcome_unknown`),
      );
      assert.deepEqual(bench.child.calls, ['stats']);
    });

    it('takes the outcome over that only its job did not record, and logs nothing twice', async () => {
      const id = await bench.item();
      bench.child.scripts.set('b', { becomes: 'nothing' });
      const first = summary(await run({ id, resumed: false }));
      bench.child.calls = [];
      assert.deepEqual(summary(await run({ id, resumed: true })), first);
      assert.deepEqual(bench.child.calls, ['stats']);
      assert.equal((await bench.changes()).length, 2);
    });

    it('begins afresh when the earlier attempt had not begun', async () => {
      const id = await bench.item();
      assert.equal((await run({ id, resumed: true })).updated.length, 3);
      assert.deepEqual(bench.child.calls, ['update a', 'update b', 'update c', 'stats']);
    });
  });
});
