import assert from 'node:assert/strict';
import { ChangeLog } from '../../../src/domains/changes/index.ts';
import { ModuleRepository } from '../../../src/domains/modules/module-repository.ts';
import { ModuleService } from '../../../src/domains/modules/index.ts';
import { NotFoundError } from '../../../src/shared/errors.ts';
import { loggedChanges } from '../../support/changes.ts';
import { withFreshDatabase, type TestDatabase } from '../../support/database.ts';

const SLUGS = [
  'api-backups',
  'comments',
  'cost-tracker',
  'dashboard-insights',
  'domain-monitor',
  'logs',
  'perf-audit',
  'pro-reports',
  'ssl-monitor',
  'time-tracker',
  'vulnerabilities',
];

describe('modules', () => {
  let store: TestDatabase;
  let clock: { time: number; now(): number };
  let modules: ModuleService;
  let elsewhere: ModuleService;

  withFreshDatabase((fresh) => {
    store = fresh;
    clock = { time: 5000, now: () => clock.time };
    modules = new ModuleService(store.database, clock, new ChangeLog(clock));
    elsewhere = new ModuleService(store.database, clock, new ChangeLog(clock));
  });

  it('when no module was changed, then all are active', async () => {
    const [all] = await Promise.all([modules.list(), elsewhere.list()]);
    assert.deepEqual(
      all.map(({ slug }) => slug),
      SLUGS,
    );
    assert.ok(all.every(({ active, updatedAt }) => active && updatedAt === 5000));
    assert.equal(await modules.isActive('logs'), true);
    assert.equal(await modules.isActive('no-such'), false);
  });

  it('when a new module is added, then it is active and the others keep their date', async () => {
    await modules.setActive('logs', false, 'tester');
    await store.database.knex('modules').where({ slug: 'comments' }).delete();
    clock.time = 9000;
    const all = await elsewhere.list();
    const shown = (slug: string) => all.find((module) => module.slug === slug);
    assert.deepEqual(shown('comments'), { slug: 'comments', name: 'Comments', active: true, updatedAt: 9000 });
    assert.equal(shown('cost-tracker')?.updatedAt, 5000);
    assert.equal(shown('logs')?.active, false);
  });

  it('when another process adds a module again, then a disabled module stays disabled', async () => {
    await modules.setActive('logs', false, 'tester');
    await new ModuleRepository(store.database.knex).add([{ slug: 'logs', active: true, updatedAt: 9000 }]);
    assert.equal(await elsewhere.isActive('logs'), false);
  });

  it('when a module is switched, then the change applies at once here and within a second in other processes', async () => {
    assert.equal(await modules.isActive('logs'), true);
    assert.equal(await elsewhere.isActive('logs'), true);
    clock.time = 6000 - 1;
    const after = await modules.setActive('logs', false, 'tester');
    assert.deepEqual(after, { slug: 'logs', name: 'Logs', active: false, updatedAt: 5999 });
    assert.equal(await modules.isActive('logs'), false);
    assert.equal(await elsewhere.isActive('logs'), true);
    clock.time = 6000;
    assert.equal(await elsewhere.isActive('logs'), false);
    assert.equal(await elsewhere.isActive('comments'), true);
  });

  it('when a module is switched, then the change is logged, and a switch without a change is not', async () => {
    await modules.setActive('logs', true, 'tester');
    await modules.setActive('logs', false, 'tester');
    await modules.setActive('logs', false, 'tester');
    await modules.setActive('logs', true, 'tester');
    assert.deepEqual(await loggedChanges(store.database.knex, 'type', 'actor'), [
      { type: 'module.deactivated', actor: 'tester' },
      { type: 'module.activated', actor: 'tester' },
    ]);
  });

  it('when a module does not exist, then the request fails with svc_module_not_found', async () => {
    await assert.rejects(
      modules.setActive('no-such', true, 'tester'),
      (error) => error instanceof NotFoundError && error.code === 'svc_module_not_found',
    );
  });
});
