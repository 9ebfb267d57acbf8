import assert from 'node:assert/strict';
import { scopeWithin } from '../../../src/shared/site-scope.ts';
import { createClient } from '../../support/clients.ts';
import { requestsWithin } from '../../support/limited-keys.ts';
import { whileAnotherWrites } from '../../support/limited-writes.ts';
import { seedSite } from '../../support/sites.ts';
import { createTag } from '../../support/tags.ts';
import { withWorld, type World } from '../../support/world.ts';

describe('edits of sites by a limited caller', () => {
  let world: World;
  withWorld({}, (started) => (world = started));

  it('when a site leaves the limit during its edit, then it does not exist, and nothing changes', async () => {
    const { id, name } = await seedSite(world);
    const tag = await createTag(world, 'care', id);
    const { knex } = world.container.database;
    const { sites } = world.container.services.sites;
    const leave = async (trx: typeof knex): Promise<void> => {
      await trx('sites')
        .where({ id })
        .update({ revision: trx.raw('revision + 1') });
      await trx('site_tags').where({ site_id: id }).delete();
    };
    const scope = scopeWithin([{ clients: [], tags: [tag], sites: [] }]);
    const write = () => sites.updateWithin(scope, id, { name: 'Renamed' }, 'tester');
    await assert.rejects(whileAnotherWrites(knex, leave, write), { code: 'svc_site_not_found' });
    assert.equal((await sites.record(id)).name, name);
  });

  it('when a client leaves the limit during the edit of a site, then the site does not get it', async () => {
    const [{ id }, { id: other }] = [await seedSite(world), await seedSite(world)];
    const client = await createClient(world, 'Leaving', { selected_sites: [other] });
    const { knex } = world.container.database;
    const { sites } = world.container.services.sites;
    const leave = async (trx: typeof knex): Promise<void> => {
      await trx('sites').whereIn('id', [id, other]).update({ client_id: null });
    };
    const scope = scopeWithin([{ clients: [], tags: [], sites: [id, other] }]);
    const write = () => sites.updateWithin(scope, id, { clientId: client }, 'tester');
    await assert.rejects(whileAnotherWrites(knex, leave, write), { code: 'svc_client_not_found' });
    assert.equal((await sites.record(id)).clientId, null);
  });

  it('when the limit of the user names a client and a tag, then a narrower key cannot give them to a site', async () => {
    const { id } = await seedSite(world);
    const [client, tag] = [await createClient(world, 'Named'), await createTag(world, 'named')];
    const { sites } = world.container.services.sites;
    const ofUser = { clients: [client], tags: [tag], sites: [id] };
    const narrower = scopeWithin([ofUser, { clients: [], tags: [], sites: [id] }]);
    for (const [patch, code] of [
      [{ clientId: client }, 'svc_client_not_found'],
      [{ tagIds: [tag] }, 'svc_tag_not_found'],
    ] as const)
      await assert.rejects(sites.updateWithin(narrower, id, patch, 'tester'), { code });
    const patch = { clientId: client, tagIds: [tag] };
    assert.equal((await sites.updateWithin(scopeWithin([ofUser]), id, patch, 'tester')).clientId, client);
  });

  it('when a limited caller removes the tag by which it sees a site, then only this call still returns the site', async () => {
    const { id } = await seedSite(world);
    const tag = await createTag(world, 'left', id);
    const request = await requestsWithin(world, { tags: [tag] });
    const edit = (expect: number) => request('PUT', `/sites/${id}/edit`, { groupids: [] }, expect);
    assert.deepEqual((await edit(200)).body.data.tags, {});
    assert.equal((await edit(404)).body.code, 'svc_site_not_found');
  });
});
