import assert from 'node:assert/strict';
import {
  ChildBadAnswerError,
  ChildRefusedError,
  ChildUnreachableError,
  ConflictError,
  NotFoundError,
} from '../../src/shared/errors.ts';
import { Bench, codes, plugin } from './inventory-support.ts';

const fatal = new ChildRefusedError('wordpress', 'site_fatal', 'The site broke.');
const timeout = new ChildUnreachableError('http', 'No answer came in time.');
const noConnection = new ChildUnreachableError('connect', 'The connection was refused.');

describe('actions on plugins, when the one call breaks', () => {
  let bench: Bench;
  before(async () => {
    bench = await Bench.open();
  });
  after(() => bench.opened.close());
  beforeEach(() => bench.reset());

  for (const error of [
    fatal,
    timeout,
    new ChildBadAnswerError('Cut off.'),
    new ChildUnreachableError('tls', 'x', { outcome: 'open' }),
  ])
    it(`reads the state and sends nothing twice (${error.code}, ${error.layer})`, async () => {
      await bench.synced([plugin('a/a.php'), plugin('b/b.php')]);
      bench.child.breaks = { error, after: 1 };
      const outcome = await bench.service.activatePlugins(bench.siteId, ['a/a.php', 'b/b.php'], 'anna');
      assert.deepEqual([outcome.done, codes(outcome)], [['a/a.php'], ['b/b.php svc_activation_failed']]);
      assert.deepEqual(bench.child.calls, ['plugin activate a/a.php||b/b.php', 'stats']);
      assert.deepEqual(await bench.stored(), ['a/a.php+', 'b/b.php']);
      assert.equal((await bench.changes()).length, 1);
    });

  it('throws its error when the state cannot be read either', async () => {
    await bench.synced([plugin('a/a.php')]);
    bench.child.breaks = { error: timeout, after: 1 };
    bench.child.statsError = noConnection;
    await assert.rejects(
      bench.service.activatePlugins(bench.siteId, ['a/a.php'], 'anna'),
      (error) => error === timeout,
    );
    assert.deepEqual(bench.child.calls, ['plugin activate a/a.php', 'stats']);
    assert.equal((await bench.state()).sync_error_code, 'svc_site_unreachable');
  });

  it('asks nothing more of a site that was not reached or that refused', async () => {
    const refused = new ChildRefusedError('http', 'blocked', 'A firewall said no.');
    for (const error of [noConnection, refused, new ChildUnreachableError('http', 'x', { outcome: 'not_run' })]) {
      await bench.synced([plugin('a/a.php')]);
      Object.assign(bench.child, { breaks: { error, after: 0 }, calls: [] });
      await assert.rejects(
        bench.service.activatePlugins(bench.siteId, ['a/a.php'], 'anna'),
        (thrown) => thrown === error,
      );
      assert.deepEqual(bench.child.calls, ['plugin activate a/a.php']);
    }
  });

  it('is not sent at all to a site that is suspended, disconnected, outdated or unknown', async () => {
    const refusedAs = (code: string) => (error: unknown) => error instanceof ConflictError && error.code === code;
    const slugs = ['a/a.php'];
    for (const status of ['suspended', 'disconnected'] as const) {
      const { id } = await bench.addSite(status);
      await assert.rejects(bench.service.deletePlugins(id, slugs, 'anna'), refusedAs(`svc_site_${status}`));
    }
    await bench.opened.database.knex('site_states').where({ site_id: bench.siteId }).update({ child_version: '3.9.9' });
    await assert.rejects(bench.service.deletePlugins(bench.siteId, slugs, 'anna'), refusedAs('svc_child_outdated'));
    await assert.rejects(bench.service.deletePlugins(999_999, slugs, 'anna'), NotFoundError);
    assert.deepEqual(bench.child.calls, []);
  });
});
