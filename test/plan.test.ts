import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  allFiles,
  databaseReach,
  filesAt,
  runsOnBothDatabases,
  isSqliteOnly,
  needsDocs,
} from '../scripts/test/plan.ts';
import { longestFirst, readTimes, storeTimes } from '../scripts/test/times.ts';

/** A helper with this line uses the database of the test run. */
const ASKS = ['const server = process.env[', '];'].join("'TEST_DATABASE_URL'");

const reaches = (files: Record<string, string>): boolean =>
  databaseReach((file) => files[file] ?? null)('test/v2/a.test.ts');

describe('plan of a test run', () => {
  it('when a test file uses a database, then it runs on both, otherwise it runs once', () => {
    for (const file of ['domains/costs/rules', 'v2/batch/run', 'http/methods', 'plan'])
      assert.equal(runsOnBothDatabases(`test/${file}.test.ts`), false, file);
    for (const file of ['db/dialect', 'domains/security/security', 'v2/security/security', 'processes/schedules'])
      assert.equal(runsOnBothDatabases(`test/${file}.test.ts`), true, file);
  });

  it('when a test file imports the database helper indirectly, then it uses a database', () => {
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

  it('when a helper is imported only for types or has no database, then the test file uses none', () => {
    const database = { 'test/support/database.ts': ASKS };
    for (const form of [
      `import type { TestDatabase } from '../support/database.ts';`,
      `import type {\n  TestDatabase,\n} from '../support/database.ts';`,
      `import { until } from '../support/until.ts';`,
    ])
      assert.equal(reaches({ ...database, 'test/v2/a.test.ts': form }), false, form);
  });

  it('when a test file is marked as SQLite only, then it runs once and uses a database', async () => {
    const files = (await allFiles()).filter(isSqliteOnly);
    assert.ok(files.length > 10, String(files.length));
    const asks = databaseReach();
    assert.deepEqual(
      files.filter((file) => runsOnBothDatabases(file) || !asks(file)),
      [],
      'Delete the comment "Runs on SQLite only" of these files: a test file without a database runs once anyway.',
    );
  });

  it('when a test file reads the docs site, then the site is built first', () => {
    for (const file of ['docs/links', 'docs/in-a-browser', 'docs/operations', 'http/documents'])
      assert.ok(needsDocs(`test/${file}.test.ts`), file);
    assert.equal(needsDocs('test/v2/tags/tags.test.ts'), false);
  });
});

describe('arguments of the test command', () => {
  const all = ['test/plan.test.ts', 'test/v2/etags.test.ts', 'test/v2/tags/tags.test.ts'];

  for (const [title, paths, found] of [
    ['a file', ['test/plan.test.ts'], ['test/plan.test.ts']],
    ['a file that starts with ./', ['./test/plan.test.ts'], ['test/plan.test.ts']],
    ['a folder', ['test/v2'], ['test/v2/etags.test.ts', 'test/v2/tags/tags.test.ts']],
    ['a folder with a slash', ['test/v2/tags/'], ['test/v2/tags/tags.test.ts']],
    ['a glob of one folder', ['test/v2/*.test.ts'], ['test/v2/etags.test.ts']],
    ['a glob of all folders', ['test/**/*tags.test.ts'], ['test/v2/etags.test.ts', 'test/v2/tags/tags.test.ts']],
    ['a glob of folders', ['test/v?/ta*/*'], ['test/v2/tags/tags.test.ts']],
    ['a folder with one of its files', ['test/v2/tags', 'test/v2/tags/tags.test.ts'], ['test/v2/tags/tags.test.ts']],
  ] as const)
    it(`when ${title} is given, then its tests run once`, () => assert.deepEqual(filesAt(paths, all), found));

  for (const [path, message] of [
    ['test/v2/nothing', 'There is no file or folder test/v2/nothing.'],
    ['test/v2/nothing.test.ts', 'There is no file or folder test/v2/nothing.test.ts.'],
    ['test/nothing/*.ts', 'No test file matches test/nothing/*.ts.'],
    ['test/support', 'test/support has no test files.'],
    ['test/support/world.ts', 'test/support/world.ts is not a test file: its name must end in .test.ts.'],
  ] as const)
    it(`when ${path} is given, then the error gives the reason`, () =>
      assert.throws(() => filesAt(['test/plan.test.ts', path], all), { message }));
});

describe('order of a test run', () => {
  const queue = ['a', 'b', 'c'].map((file) => ({ file, name: 'sqlite' }));
  const orderOf = (times: Record<string, number>): string =>
    longestFirst(queue, times)
      .map(({ file }) => file)
      .join('');

  it('when times of the last run exist, then new files run first and then the longest', () => {
    assert.equal(orderOf({}), 'abc');
    assert.equal(orderOf({ 'a sqlite': 1, 'b sqlite': 3, 'c sqlite': 2 }), 'bca');
    assert.equal(orderOf({ 'a sqlite': 1, 'a mariadb': 9, 'b sqlite': 3 }), 'cba');
  });

  it('when some files run again, then the stored times of the others are kept', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sitefleet-times-'));
    try {
      const record = join(folder, 'cache', 'times.json');
      assert.deepEqual(await readTimes(record), {});
      await storeTimes('12 a sqlite\n7 b mariadb\n', record);
      await storeTimes('9 a sqlite\n', record);
      assert.deepEqual(await readTimes(record), { 'a sqlite': 9, 'b mariadb': 7 });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
