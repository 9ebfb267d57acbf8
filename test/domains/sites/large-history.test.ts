import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { recordStatements } from '../../support/database.ts';
import { deleteSite, seedSite } from '../../support/sites.ts';
import { withWorld, type World } from '../../support/world.ts';

describe('deletion of a site with a long history', () => {
  let world: World;
  let knex: Knex;
  withWorld({}, (started) => {
    world = started;
    knex = world.container.database.knex;
  });

  const countChanges = async (siteId: number): Promise<number> =>
    (await knex('changes').where({ site_id: siteId }).pluck('id')).length;

  const seedHistory = async (count: number): Promise<number> => {
    const { id } = await seedSite(world, { status: 'disconnected' });
    const change = { site_id: id, source: 'dashboard', type: 'plugin.updated', description: '', actor: 'ann' };
    const rows = Array.from({ length: count }, (_, at) => ({ ...change, at }));
    for (let start = 0; start < count; start += 100) await knex('changes').insert(rows.slice(start, start + 100));
    return id;
  };

  it('when it is deleted, then no transaction deletes more than 500 changes', async () => {
    const id = await seedHistory(1_620);
    const statements = await recordStatements(knex, () => deleteSite(world, id));
    const steps = statements.flatMap((sql) => /^(commit|delete from .(?:changes|sites))/i.exec(sql)?.[1] ?? []);
    const first = steps.findIndex((step) => step.endsWith('changes'));
    const [, commit] = steps.slice(first);
    const words = steps.slice(first).map((step) => (step === commit ? 'commit' : step.replace(/[`"]/, '')));
    const part = ['delete from changes', 'commit'];
    assert.deepEqual(words.slice(0, 7), [...part, ...part, ...part, 'delete from sites']);
    assert.equal(await countChanges(id), 0);
    assert.equal(await knex('sites').where({ id }).first('id'), undefined);
  });

  it('when the deletion is interrupted, then the site exists and can be deleted again', async () => {
    const id = await seedHistory(1_620);
    let deletions = 0;
    const interrupt = ({ sql }: { sql: string }): void => {
      if (/^delete from .changes/.test(sql) && ++deletions === 2) throw new Error('The process has died.');
    };
    knex.on('query', interrupt);
    await assert.rejects(deleteSite(world, id));
    knex.off('query', interrupt);
    assert.equal(await countChanges(id), 1_120);
    await deleteSite(world, id);
    assert.equal(await knex('sites').where({ id }).first('id'), undefined);
  });

  it('when the precondition is not met, then no change is deleted', async () => {
    const id = await seedHistory(600);
    const headers = { 'if-match': '"another"' };
    await world.request('DELETE', `/api/v2/sites/${id}/remove`, { expect: 412, headers });
    assert.equal(await countChanges(id), 600);
  });
});
