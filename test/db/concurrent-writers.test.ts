import assert from 'node:assert/strict';
import {
  createMariadbDatabase,
  mariadbIsInstalled,
  startMariadb,
  type PrivateMariadb,
} from '../../scripts/support/private-mariadb.ts';
import { openDatabase, type Database } from '../../src/db/database.ts';
import { migrateUp } from '../../src/db/migrations/index.ts';
import { readRevision } from '../../src/db/revisions.ts';
import { createClient } from '../support/clients.ts';
import { runEntry, testEnvironment } from '../support/service-process.ts';
import { updateSite } from '../support/sites.ts';
import { createTag } from '../support/tags.ts';
import { startWorld, type World } from '../support/world.ts';

const EDITS = 200;
const TAGS = 8;
const SITES = 4;

for (const isolation of ['ON', 'OFF'])
  (process.env['TEST_DATABASE_URL'] && mariadbIsInstalled() ? describe : describe.skip)(
    `many writers on a MariaDB with innodb_snapshot_isolation=${isolation}`,
    () => {
      let server: PrivateMariadb;
      let database: Database;
      let world: World;
      before(async () => {
        server = await startMariadb({ options: [`--loose-innodb-snapshot-isolation=${isolation}`] });
        database = openDatabase({ dialect: 'mysql', url: await createMariadbDatabase(server, 'writers') });
        await migrateUp(database.knex);
        world = await startWorld({ sites: SITES, overrides: { database } });
      });
      after(async () => {
        await world?.close();
        await database?.close();
        await server.stop();
      });

      it('when many callers edit the same records at once, then every edit succeeds and none is lost', async () => {
        const { knex } = database;
        const tags: number[] = [];
        for (let index = 0; index < TAGS; index++) tags.push(await createTag(world, `tag ${index}`));
        const client = await createClient(world, 'Ada');
        const before = await readRevision(knex, 'tags');
        const edits = Array.from({ length: EDITS }, async (_, index) => {
          const tag = tags[index % TAGS] as number;
          await world.request('PUT', `/api/v2/tags/${tag}/edit`, { body: { name: `tag ${index}` } });
        });
        const others = Array.from({ length: EDITS / 4 }, async (_, index) => {
          // The tags of a site are locked in the order of the request.
          const some = [...tags.slice(index % TAGS), ...tags.slice(0, index % TAGS)];
          await updateSite(world, world.siteId(index % SITES), { tags: index % 2 ? some : some.reverse() });
          await world.request('PUT', `/api/v2/clients/${client}/edit`, { body: { city: `City ${index}` } });
        });
        await Promise.all([...edits, ...others]);
        assert.ok((await readRevision(knex, 'tags')) >= before + EDITS, 'each edit is counted in the revision');
        const names = await knex('tags').orderBy('id').pluck<string[]>('name');
        for (const [index, name] of names.entries()) assert.equal(Number(name.slice(4)) % TAGS, index, name);
      });

      it('when single statements meet, then a deadlock does not reach the caller', async () => {
        const { knex } = database;
        await knex('settings').insert([1, 2, 3].map((index) => ({ name: `x${index}`, value: '0', updated_at: 0 })));
        const swap = (order: string) =>
          knex.raw(`update settings set updated_at = updated_at + 1 where name like 'x%' order by name ${order}`);
        await Promise.all(Array.from({ length: EDITS }, (_, index) => swap(index % 2 ? 'asc' : 'desc')));
        assert.deepEqual(await knex('settings').where('name', 'like', 'x%').pluck('updated_at'), [EDITS, EDITS, EDITS]);
      });
    },
  );

(process.env['TEST_DATABASE_URL'] && mariadbIsInstalled() ? describe : describe.skip)(
  'a MariaDB with a binary log of statements',
  () => {
    let server: PrivateMariadb;
    before(async () => (server = await startMariadb({ options: ['--log-bin', '--binlog-format=STATEMENT'] })));
    after(() => server.stop());

    it('when the service starts, then it ends with one line that names the setting', async () => {
      const url = await createMariadbDatabase(server, 'statements');
      const { env, remove } = await testEnvironment(url);
      for (const [entry, args] of [
        ['main', []],
        ['cli', ['keys', 'list']],
      ] as const) {
        const { code, err } = await runEntry(entry, [...args], env);
        assert.equal(code, 1);
        assert.match(err, /^[^\n]*binlog_format=STATEMENT[^\n]*MIXED or ROW\.\n$/);
      }
      await remove();
    });
  },
);
