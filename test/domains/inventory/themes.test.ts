import assert from 'node:assert/strict';
import { ChildBadAnswerError, ChildRefusedError } from '../../../src/shared/child-call-errors.ts';
import { NotFoundError } from '../../../src/shared/errors.ts';
import { InventoryBench, itemErrorCodes, theme } from './support.ts';

const siteFatal = new ChildRefusedError('wordpress', 'site_fatal', 'The site broke.');

describe('theme actions', () => {
  let bench: InventoryBench;
  before(async () => {
    bench = await InventoryBench.open();
  });
  after(() => bench.testDatabase.close());
  beforeEach(() => bench.reset());

  const three = () => [theme('child', { active: true }), theme('parent', { parentOfActive: true }), theme('spare')];

  it('when themes are deleted, then the active theme and its parent are not deleted', async () => {
    await bench.sync([], three());
    const outcome = await bench.service.deleteThemes(bench.siteId, ['parent', 'spare', 'child', 'none'], 'anna');
    assert.deepEqual(outcome.done, ['spare']);
    assert.deepEqual(itemErrorCodes(outcome), [
      'parent svc_protected_item',
      'child svc_protected_item',
      'none svc_theme_not_found',
    ]);
    assert.deepEqual(
      outcome.errors.map(({ message, type }) => `${type} ${message}`),
      [
        'theme The parent of the active theme cannot be deleted.',
        'theme The active theme cannot be deleted.',
        'theme The site has no such theme.',
      ],
    );
    assert.deepEqual(bench.child.calls, ['stats', 'theme delete spare']);
    assert.deepEqual(await bench.storedThemes(), ['child+', 'parent']);
    assert.deepEqual(await bench.changes(), [
      { type: 'theme.deleted', description: 'Deleted the theme SPARE 1.0.', actor: 'anna' },
    ]);
  });

  it('when the child refuses a deletion, then the error has its reason, and a failure has another code', async () => {
    await bench.sync([], three());
    bench.child.themes = [theme('child'), theme('parent'), theme('spare', { active: true })];
    bench.child.falseSuccesses = new Set(['spare']);
    bench.child.refusals = [{ slug: 'spare', reason: 'active_theme' }];
    assert.deepEqual(itemErrorCodes(await bench.service.deleteThemes(bench.siteId, ['spare'], 'anna')), [
      'spare svc_protected_item',
    ]);
    await bench.sync([], three());
    bench.child.refusals = [{ slug: 'spare', reason: 'parent_of_active_theme' }];
    assert.deepEqual(
      (await bench.service.deleteThemes(bench.siteId, ['spare'], 'anna')).errors.map(
        ({ code, message }) => `${code} ${message}`,
      ),
      ['svc_protected_item The parent of the active theme cannot be deleted.'],
    );
    bench.child.refusals = [];
    assert.deepEqual(itemErrorCodes(await bench.service.deleteThemes(bench.siteId, ['spare'], 'anna')), [
      'spare svc_deletion_failed',
    ]);
  });

  it('when a theme is activated, then the result names the previous theme', async () => {
    await bench.sync([], three());
    assert.deepEqual(await bench.service.activateTheme(bench.siteId, 'parent', 'anna'), {
      activated: { slug: 'parent', name: 'PARENT', version: '1.0' },
      previousTheme: { slug: 'child', name: 'CHILD', version: '1.0' },
    });
    assert.deepEqual(bench.child.calls, ['theme activate parent']);
    assert.deepEqual(await bench.storedThemes(), ['child', 'parent+', 'spare']);
    assert.deepEqual(await bench.changes(), [
      { type: 'theme.activated', description: 'Activated the theme PARENT 1.0.', actor: 'anna' },
    ]);
  });

  it('when the response contains only plugins, then the state is read', async () => {
    await bench.sync([], three());
    bench.child.reportedState = 'plugins';
    assert.equal((await bench.service.activateTheme(bench.siteId, 'spare', 'anna')).activated.slug, 'spare');
    assert.deepEqual(bench.child.calls, ['theme activate spare', 'stats']);
  });

  it('when the theme is already active on the site, then no activation is sent', async () => {
    await bench.sync([], three());
    const activate = async (): Promise<unknown[]> => {
      const { activated, previousTheme } = await bench.service.activateTheme(bench.siteId, 'child', 'anna');
      return [activated.slug, previousTheme?.slug];
    };
    assert.deepEqual(await activate(), ['child', 'child']);
    assert.deepEqual(bench.child.calls, ['stats']);
    assert.deepEqual(await bench.changes(), []);
    bench.child.themes = [theme('child'), theme('spare', { active: true })];
    assert.deepEqual(await activate(), ['child', 'spare']);
    assert.deepEqual(bench.child.calls, ['stats', 'stats', 'theme activate child']);
  });

  it('when no theme was active, then previousTheme is null', async () => {
    bench.child.themes = [theme('spare')];
    const { activated, previousTheme } = await bench.service.activateTheme(bench.siteId, 'spare', 'anna');
    assert.deepEqual([activated.slug, previousTheme], ['spare', null]);
  });

  it('when the site does not have the theme, then the request fails with svc_theme_not_found', async () => {
    await bench.sync([], three());
    await assert.rejects(
      bench.service.activateTheme(bench.siteId, 'none', 'anna'),
      (error) => error instanceof NotFoundError && error.code === 'svc_theme_not_found',
    );
    assert.deepEqual(bench.child.calls, ['stats']);
  });

  it('when the site falsely reports an activation, then the action fails and the site has no sync error', async () => {
    await bench.sync([], three());
    bench.child.falseSuccesses.add('spare');
    await assert.rejects(bench.service.activateTheme(bench.siteId, 'spare', 'anna'), ChildBadAnswerError);
    assert.deepEqual(await bench.storedThemes(), ['child+', 'parent', 'spare']);
    assert.deepEqual(await bench.changes(), []);
    assert.equal((await bench.state()).sync_error_code, null);
  });

  it('when a call fails, then the state decides between an error and a success', async () => {
    await bench.sync([], three());
    bench.child.failure = { error: siteFatal, after: 0 };
    await assert.rejects(bench.service.activateTheme(bench.siteId, 'spare', 'anna'), (error) => error === siteFatal);
    bench.child.failure = { error: siteFatal, after: 1 };
    assert.equal((await bench.service.activateTheme(bench.siteId, 'spare', 'anna')).activated.slug, 'spare');
    assert.deepEqual(await bench.storedThemes(), ['child', 'parent', 'spare+']);
  });
});
