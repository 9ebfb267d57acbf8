import assert from 'node:assert/strict';
import { allFiles, isOnBoth, ONCE } from '../scripts/test/plan.ts';
import { databaseReach } from '../scripts/test/reach.ts';

/** How a helper asks for the database of the run. */
const ASKS = ['const server = process.env[', '];'].join("'TEST_DATABASE_URL'");

const reaches = (files: Record<string, string>): boolean =>
  databaseReach((file) => files[file] ?? null)('test/v2/a.test.ts');

describe('the plan of a run', () => {
  it('when a test asks for no database, then it runs once, and one that does runs on both', () => {
    for (const file of ['domains/costs/rules', 'v2/batch/run', 'http/methods', 'plan'])
      assert.equal(isOnBoth(`test/${file}.test.ts`), false, file);
    for (const file of ['db/dialect', 'domains/security/security', 'v2/security/security', 'processes/schedules'])
      assert.equal(isOnBoth(`test/${file}.test.ts`), true, file);
  });

  it('when a helper is reached over others, in any form, then its database is', () => {
    const database = { 'test/support/database.ts': ASKS };
    const world = `export * from './database.ts';\n`;
    for (const form of [
      `import { startWorld } from '../support/world.ts';`,
      `import {\n  startWorld,\n} from '../support/world.ts';`,
      `import '../support/world.ts';`,
      `const { startWorld } = await import('../support/world.ts');`,
    ])
      assert.ok(reaches({ ...database, 'test/support/world.ts': world, 'test/v2/a.test.ts': form }), form);
    assert.ok(reaches({ 'test/v2/a.test.ts': ASKS }));
  });

  it('when a helper is imported for its types, or none is, then no database is reached', () => {
    const database = { 'test/support/database.ts': ASKS };
    for (const form of [
      `import type { TestDatabase } from '../support/database.ts';`,
      `import type {\n  TestDatabase,\n} from '../support/database.ts';`,
      `import { until } from '../support/until.ts';`,
    ])
      assert.equal(reaches({ ...database, 'test/v2/a.test.ts': form }), false, form);
  });

  it('when a name says that its tests run once, then there are such tests, which ask for a database', async () => {
    const asking = (await allFiles()).filter(databaseReach());
    assert.deepEqual(
      ONCE.filter((name) => !asking.some((file) => file.startsWith(`test/${name}`))),
      [],
    );
  });
});
