import assert from 'node:assert/strict';
import {
  ChildBadAnswerError,
  ChildRefusedError,
  ChildUnreachableError,
} from '../../../src/shared/child-call-errors.ts';
import { ConflictError, NotFoundError } from '../../../src/shared/errors.ts';
import { InventoryBench, itemErrorCodes, plugin } from './support.ts';

const siteFatal = new ChildRefusedError('wordpress', 'site_fatal', 'The site broke.');
const timeout = new ChildUnreachableError('http', 'No answer came in time.');
type ChildError = ChildUnreachableError | ChildRefusedError | ChildBadAnswerError;
const wordsOf = ({ code, layer, data }: ChildError): string => [code, layer, data['http_status']].join(' ').trim();
const noConnection = new ChildUnreachableError('connect', 'The connection was refused.');

describe('a plugin action whose call fails', () => {
  let bench: InventoryBench;
  before(async () => {
    bench = await InventoryBench.open();
  });
  after(() => bench.testDatabase.close());
  beforeEach(() => bench.reset());

  const FAILED = 'svc_activation_failed';
  const UNKNOWN = 'svc_outcome_unknown';
  for (const [error, code] of [
    [siteFatal, FAILED],
    [new ChildBadAnswerError('Cut off.'), FAILED],
    // PHP may still be running.
    [timeout, UNKNOWN],
    [new ChildUnreachableError('tls', 'x', { outcome: 'open' }), UNKNOWN],
    [new ChildRefusedError('wordpress', 'gateway_timeout', 'x', { outcome: 'open', http_status: 504 }), UNKNOWN],
    [new ChildRefusedError('wordpress', 'bad_gateway', 'x', { outcome: 'open', http_status: 502 }), UNKNOWN],
    [new ChildRefusedError('wordpress', 'site_fatal', 'x', { http_status: 500 }), FAILED],
  ] as const)
    it(`when the call fails with ${wordsOf(error)}, then the state is read and nothing is sent twice`, async () => {
      await bench.sync([plugin('a/a.php'), plugin('b/b.php')]);
      bench.child.failure = { error, after: 1 };
      const outcome = await bench.service.activatePlugins(bench.siteId, ['a/a.php', 'b/b.php'], 'anna');
      assert.deepEqual([outcome.done, itemErrorCodes(outcome)], [['a/a.php'], [`b/b.php ${code}`]]);
      assert.deepEqual(bench.child.calls, ['plugin activate a/a.php||b/b.php', 'stats']);
      assert.deepEqual(await bench.storedPlugins(), ['a/a.php+', 'b/b.php']);
      assert.equal((await bench.changes()).length, 1);
    });

  it('when PHP may still be running and the state cannot be read, then the outcome is unknown', async () => {
    await bench.sync([plugin('a/a.php')]);
    bench.child.failure = { error: timeout, after: 1 };
    bench.child.statsError = noConnection;
    const outcome = await bench.service.activatePlugins(bench.siteId, ['a/a.php'], 'anna');
    assert.deepEqual([outcome.done, itemErrorCodes(outcome)], [[], ['a/a.php svc_outcome_unknown']]);
    assert.deepEqual(bench.child.calls, ['plugin activate a/a.php', 'stats']);
  });

  it('when PHP has ended and the state cannot be read, then the error of the call is thrown', async () => {
    await bench.sync([plugin('a/a.php')]);
    bench.child.failure = { error: siteFatal, after: 1 };
    bench.child.statsError = noConnection;
    await assert.rejects(
      bench.service.activatePlugins(bench.siteId, ['a/a.php'], 'anna'),
      (error) => error === siteFatal,
    );
    assert.deepEqual(bench.child.calls, ['plugin activate a/a.php', 'stats']);
    assert.equal((await bench.state()).sync_error_code, null);
  });

  it('when the call fails at one plugin of a list, then the error names that plugin and the plugins not reached', async () => {
    await bench.sync(['a', 'b', 'c'].map((name) => plugin(`${name}/${name}.php`)));
    const slugs = ['a/a.php', 'b/b.php', 'c/c.php'];
    bench.child.failure = { error: siteFatal, after: 1 };
    const broken = await bench.service.activatePlugins(bench.siteId, slugs, 'anna');
    assert.deepEqual(
      broken.errors.map(({ identifier, reason }) => [identifier, reason]),
      [
        ['b/b.php', 'site_fatal'],
        ['c/c.php', 'not_reached'],
      ],
    );
    const words = { outcome: 'open' as const, child_message: 'This plugin needs the bcmath extension.' };
    bench.child.failure = {
      error: new ChildRefusedError('wordpress', 'aborted', 'x', words),
      after: 0,
    };
    const stopped = await bench.service.activatePlugins(bench.siteId, ['b/b.php'], 'anna');
    assert.deepEqual(
      stopped.errors.map(({ code, reason, child_message }) => [code, reason, child_message]),
      [[FAILED, 'stopped_by_item', 'This plugin needs the bcmath extension.']],
    );
    Object.assign(bench.child, { failure: null, falseSuccesses: new Set(['b/b.php']) });
    const silent = await bench.service.activatePlugins(bench.siteId, ['b/b.php'], 'anna');
    assert.deepEqual(
      silent.errors.map(({ code, reason }) => [code, reason]),
      [[FAILED, 'refused_silently']],
    );
  });

  it('when the site was not reached or refused the call, then no further call is made', async () => {
    const refused = new ChildRefusedError('http', 'blocked', 'A firewall said no.');
    for (const error of [noConnection, refused, new ChildUnreachableError('http', 'x', { outcome: 'not_run' })]) {
      await bench.sync([plugin('a/a.php')]);
      Object.assign(bench.child, { failure: { error, after: 0 }, calls: [] });
      await assert.rejects(
        bench.service.activatePlugins(bench.siteId, ['a/a.php'], 'anna'),
        (thrown) => thrown === error,
      );
      assert.deepEqual(bench.child.calls, ['plugin activate a/a.php']);
    }
  });

  it('when the site is suspended, disconnected, outdated or unknown, then no call is made', async () => {
    const refusedAs = (code: string) => (error: unknown) => error instanceof ConflictError && error.code === code;
    const slugs = ['a/a.php'];
    for (const status of ['suspended', 'disconnected'] as const) {
      const { id } = await bench.addSite(status);
      await assert.rejects(bench.service.deletePlugins(id, slugs, 'anna'), refusedAs(`svc_site_${status}`));
    }
    await bench.testDatabase.database
      .knex('site_states')
      .where({ site_id: bench.siteId })
      .update({ child_version: '3.9.9' });
    await assert.rejects(bench.service.deletePlugins(bench.siteId, slugs, 'anna'), refusedAs('svc_child_outdated'));
    await assert.rejects(bench.service.deletePlugins(999_999, slugs, 'anna'), NotFoundError);
    assert.deepEqual(bench.child.calls, []);
  });
});
