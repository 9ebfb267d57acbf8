import assert from 'node:assert/strict';
import { ChildBadAnswerError, ChildRefusedError, NotFoundError } from '../../../src/shared/errors.ts';
import { InventoryBench, itemErrorCodes, theme } from './support.ts';

const siteFatal = new ChildRefusedError('wordpress', 'site_fatal', 'The site broke.');

describe('actions on themes', () => {
  let bench: InventoryBench;
  before(async () => {
    bench = await InventoryBench.open();
  });
  after(() => bench.testDatabase.close());
  beforeEach(() => bench.reset());

  const three = () => [theme('child', { active: true }), theme('parent', { parentOfActive: true }), theme('spare')];

  it('when themes are deleted, then the active one and its parent stay', async () => {
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

  it('when the child refuses, then its reason is passed on, and a failure is told from a refusal', async () => {
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

  it('when one is activated, then the theme before is named', async () => {
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

  it('when the answer tells of plugins alone, then the state is read', async () => {
    await bench.sync([], three());
    bench.child.reportedState = 'plugins';
    assert.equal((await bench.service.activateTheme(bench.siteId, 'spare', 'anna')).activated.slug, 'spare');
    assert.deepEqual(bench.child.calls, ['theme activate spare', 'stats']);
  });

  it('when the theme is active and the site says so, then nothing is switched', async () => {
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

  it('when none was active, then there is no theme before', async () => {
    bench.child.themes = [theme('spare')];
    const { activated, previousTheme } = await bench.service.activateTheme(bench.siteId, 'spare', 'anna');
    assert.deepEqual([activated.slug, previousTheme], ['spare', null]);
  });

  it('when the site does not have a theme, then it is refused', async () => {
    await bench.sync([], three());
    await assert.rejects(
      bench.service.activateTheme(bench.siteId, 'none', 'anna'),
      (error) => error instanceof NotFoundError && error.code === 'svc_theme_not_found',
    );
    assert.deepEqual(bench.child.calls, ['stats']);
  });

  it('when the site claims something, then it is not believed, and the connection is not blamed', async () => {
    await bench.sync([], three());
    bench.child.falseSuccesses.add('spare');
    await assert.rejects(bench.service.activateTheme(bench.siteId, 'spare', 'anna'), ChildBadAnswerError);
    assert.deepEqual(await bench.storedThemes(), ['child+', 'parent', 'spare']);
    assert.deepEqual(await bench.changes(), []);
    assert.equal((await bench.state()).sync_error_code, null);
  });

  it('when a call breaks, then it says what came of it', async () => {
    await bench.sync([], three());
    bench.child.failure = { error: siteFatal, after: 0 };
    await assert.rejects(bench.service.activateTheme(bench.siteId, 'spare', 'anna'), (error) => error === siteFatal);
    bench.child.failure = { error: siteFatal, after: 1 };
    assert.equal((await bench.service.activateTheme(bench.siteId, 'spare', 'anna')).activated.slug, 'spare');
    assert.deepEqual(await bench.storedThemes(), ['child', 'parent', 'spare+']);
  });
});
