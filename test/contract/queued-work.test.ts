import assert from 'node:assert/strict';
import { deref, jsonMediaOf, type Contract, type Schema } from '../../src/contract/index.ts';
import { documentedOperations, type DocumentedOperation } from '../support/documented-operations.ts';
import { exampleRequest } from '../../src/contract-checks/index.ts';
import { TestDirectory } from '../support/packages.ts';
import { insertSites } from '../support/sites.ts';
import { startWorld, type World } from '../support/world.ts';

// Runs on SQLite only: the test compares responses with the contract.

const QUEUED = 201;

/** Returns the variants of a response, each with its own fields. */
function variantsOf(contract: Contract, node: Schema): Schema[] {
  const schema = deref(contract, node);
  const inner = [schema['oneOf'], schema['anyOf']].find(Array.isArray) as Schema[] | undefined;
  return inner ? inner.flatMap((each) => variantsOf(contract, each)) : [schema];
}

/** Returns the variants of a response that contain the job instead of the results. */
const jobAnswersOf = ({ contract, place }: DocumentedOperation): Schema[] =>
  variantsOf(contract, jsonMediaOf(place.operation.responses['200'])?.schema ?? {}).filter(
    ({ properties = {} }) => 'status_url' in properties,
  );

/** A tool always runs as a job and returns its own ID. */
const isTool = ({ place }: DocumentedOperation): boolean => place.operation.operationId.startsWith('tools_');

const queuingOperations = documentedOperations((operation) => jobAnswersOf(operation).length > 0 && !isTool(operation));

describe('every operation that may queue a job', () => {
  let world: World;
  let ids: number[];
  let directory: TestDirectory;
  before(async () => {
    directory = await TestDirectory.start();
    await directory.release('plugin', 'hello-dolly', '1.7.2');
    world = await startWorld({ env: { SITEFLEET_DIRECTORY_URL: directory.url } });
    const { knex } = world.container.database;
    await insertSites(knex, QUEUED);
    const sites = await knex('sites').orderBy('id').select<{ id: number; url_key: string }[]>('id', 'url_key');
    ids = sites.map(({ id }) => id);
    for (const { id: site_id, url_key: site_key } of sites) {
      await knex('site_states').insert({ site_id, notes: '', admin_username: 'admin', section_hashes: '{}' });
      const item = { slug: 'a/a.php', name: 'A' };
      await knex('site_plugins').insert({ site_id, ...item, version: '1', active: 1, must_use: 0, is_child: 0 });
      const pin = { version: '1', note: '', auto_update: 'off', tried_at: 1, created_by: 'test' };
      const times = { created_at: 1, updated_at: 1 };
      await knex('version_pins').insert({ site_id, site_key, type: 'plugin', ...item, ...pin, ...times });
      const versions = { current_version: '1', new_version: '2' };
      await knex('site_updates').insert({ site_id, site_key, type: 'plugin', ...item, ...versions });
    }
  });
  after(async () => {
    await world.close();
    directory.close();
  });

  it('when these operations are counted, then there are nine or more', () =>
    assert.ok(queuingOperations.length >= 9, String(queuingOperations.length)));

  for (const { contract, place } of queuingOperations)
    it(`when work is queued, then the response has the job and the number of sites: ${place.operation.operationId}`, async () => {
      for (const { required } of jobAnswersOf({ contract, place, has: () => true }))
        for (const field of ['queued', 'job_id', 'status_url', 'sites_queued'])
          assert.ok(required?.includes(field), `${place.operation.operationId} promises ${field}`);
      await world.container.database.knex('sites').whereIn('id', ids).update({ status: 'connected' });
      const { operationId } = place.operation;
      const selected = { include: ids, websites: ids, site_ids_or_domains: ids, exclude: [] };
      const chosen = operationId.startsWith('pins_')
        ? { websites: ids, type: 'plugin', slug: 'a/a.php', version: '<=2' }
        : { ...selected, types: [], specific_items: [], ...(!operationId.startsWith('packages_') && { type: [] }) };
      const { method, path, body } = await exampleRequest(contract, place, chosen);
      const answer = (await world.request(method, path, body === null ? {} : { body })).body;
      assert.deepEqual([answer.queued, answer.sites_queued, answer.errors], [true, QUEUED, []]);
      assert.equal(answer.status_url, `${world.url}/api/v2/jobs/${answer.job_id}`);
      await world.request('DELETE', `/api/v2/jobs/${answer.job_id}`);
      // The last of its items change the status of their sites.
      await world.finishedJob(answer.job_id);
    });
});
