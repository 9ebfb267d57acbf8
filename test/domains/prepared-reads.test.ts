import assert from 'node:assert/strict';
import { AccessReadModel } from '../../src/domains/access/access-read-model.ts';
import { SiteList } from '../../src/domains/sites/index.ts';
import { UpdateReadModel } from '../../src/domains/updates/index.ts';
import { ALL_SITES } from '../../src/shared/site-scope.ts';
import { accessTo, createAlice, createKey } from '../support/access.ts';
import { withFreshDatabase, type TestDatabase } from '../support/database.ts';
import { insertSite } from './inventory/support.ts';

interface SentStatement {
  sql: string;
  options?: { prepared?: boolean };
}

describe('statements of every request', () => {
  let opened: TestDatabase;
  withFreshDatabase((database) => (opened = database));

  /** Returns whether each statement of the work bypassed the query builder. */
  async function prepared(work: () => Promise<unknown>): Promise<boolean[]> {
    const { knex } = opened.database;
    const sent: SentStatement[] = [];
    const record = (statement: SentStatement): void => void sent.push(statement);
    knex.on('query', record);
    await work();
    knex.off('query', record);
    return sent.map(({ options }) => options?.prepared === true);
  }

  it('when the caller is read, then its statements are prepared, those of a limited caller too', async () => {
    const access = accessTo(opened);
    const { user } = await createAlice(access);
    const site = await insertSite(opened, 'a.test');
    const { id } = (await createKey(access, user.id)).key;
    const { knex } = opened.database;
    const readModel = new AccessReadModel(knex);
    await knex('api_keys').where({ id }).update({ hash: 'a' });
    await knex('application_passwords').update({ hash: 'b' });
    assert.deepEqual(await prepared(() => readModel.keyByHash('a', 1)), [true]);
    assert.deepEqual(await prepared(() => readModel.passwordByHash('b', 1)), [true]);
    await knex('api_keys')
      .where({ id })
      .update({ limited: 1, limited_by_key_id: id + 1 });
    await knex('site_limits').insert({ key_id: id, site_id: site.id });
    let limits: unknown;
    const read = async (): Promise<void> => {
      limits = (await readModel.keyByHash('a', 1))?.sites.limits;
    };
    assert.deepEqual(await prepared(read), [true, true, true]);
    assert.deepEqual(limits, [
      { clients: [], tags: [], sites: [site.id] },
      { clients: [], tags: [], sites: [] },
    ]);
  });

  it('when sites or updates are listed, then the statements of the first call are prepared too', async () => {
    const { knex } = opened.database;
    const { id } = await insertSite(opened, 'a.test');
    const update = { site_id: id, type: 'core', slug: 'wordpress', name: 'a', current_version: '1', new_version: '2' };
    await knex('site_updates').insert({ ...update, site_key: 'a.test', ignored: 0 });
    const list = new SiteList(knex, () => true);
    const updates = new UpdateReadModel(knex);
    const request = { page: 1, perPage: 2 };
    assert.deepEqual(await prepared(() => list.page(ALL_SITES, {}, request)), [true, true, true, true]);
    assert.deepEqual(await prepared(() => list.records(ALL_SITES, {}, request)), [true, true]);
    for (const types of [[], ['core'], ['core', 'theme']] as const)
      assert.deepEqual(
        new Set(await prepared(() => updates.page({ scope: ALL_SITES, types }, request))),
        new Set([true]),
      );
  });
});
