import assert from 'node:assert/strict';
import { deref, jsonMediaOf, type Contract, type LocatedOperation, type Schema } from '../../src/contract/index.ts';
import { documentedOperations, type DocumentedOperation } from '../support/documented-operations.ts';
import { exampleRequest } from '../../src/contract-checks/index.ts';
import { readNewestJob } from '../support/jobs.ts';
import { syncSites } from '../support/sites.ts';
import { TestDirectory } from '../support/packages.ts';
import { startWorld, type World } from '../support/world.ts';

// Runs on SQLite only: the test compares responses with the contract.

type Ref = number | string;
interface Failure {
  identifier: Ref;
  code: string;
  site_id?: number;
}

/** Returns all parameters and body fields of a call. */
function inputOf(contract: Contract, { operation }: LocatedOperation): Map<string, Schema> {
  const parameters = (operation.parameters ?? []).map((each) => deref(contract, each));
  const body = jsonMediaOf(operation.requestBody)?.schema;
  const schemas = [body, parameters.find(({ name }) => name === 'input')?.schema].map((each) =>
    deref(contract, each ?? {}),
  );
  const inner = schemas.flatMap(({ properties = {} }) => [
    properties,
    deref(contract, properties['input'] ?? {}).properties ?? {},
  ]);
  return new Map([
    ...parameters.map(({ name, schema = {} }) => [name, schema] as const),
    ...inner.flatMap((properties) => Object.entries(properties)),
  ]);
}

const taking = (name: string, verbs: readonly string[]): DocumentedOperation[] =>
  documentedOperations(({ contract, place }) => verbs.includes(place.verb) && inputOf(contract, place).has(name));

/** These operations do not call a site, so they do not fail. */
const CALLS_NONE = /^(perf_audit_|updates_plan$)/;

/** Returns item errors anywhere in a response. */
function failuresIn(answer: unknown): Failure[] {
  if (typeof answer !== 'object' || answer === null) return [];
  if ('identifier' in answer && 'code' in answer) return [answer as Failure];
  return Object.values(answer).flatMap(failuresIn);
}

const namesIn = (answer: unknown): Ref[] => failuresIn(answer).map(({ identifier }) => identifier);

describe('error of one of several sites', () => {
  let directory: TestDirectory;
  let world: World;
  /** Each managed site in another form: ID, ID as text, without scheme, without final slash, with several slashes. */
  let spellings: Ref[];
  const strangers: Ref[] = [
    99_999,
    '99998',
    'Nowhere.example',
    'HTTPS://WWW.Nowhere.example/Shop',
    'nowhere.example:81/',
  ];
  before(async () => {
    const second = { connectMs: 1_000, readMs: 1_000, updateMs: 1_000, checkMs: 1_000 };
    directory = await TestDirectory.start();
    await directory.release('plugin', 'hello-dolly', '1.7.2');
    const env = { SITEFLEET_DIRECTORY_URL: directory.url };
    world = await startWorld({ sites: 5, env, overrides: { deadlines: second } });
    const hosts = world.fleet.sites.map(({ url }) => new URL(url).host);
    spellings = [
      world.siteId(0),
      String(world.siteId(1)),
      `${hosts[2]}`,
      `http://${hosts[3]}`,
      `HTTP://${hosts[4]}///`,
    ];
  });
  after(async () => {
    await world.close();
    directory.close();
  });

  async function answerOf({ contract, place }: DocumentedOperation, given: object): Promise<unknown> {
    const { method, path, body } = await exampleRequest(contract, place, { exclude: [], exclude_ids: [], ...given });
    return (await world.request(method, path, body === null ? {} : { body })).body;
  }

  it('when an update of a site fails, then response and job name the site as the caller wrote it', async () => {
    const slug = 'broken/broken.php';
    for (const site of world.fleet.sites) {
      site.performWpAdminAction({ do: 'install-plugin', folder: 'broken' });
      site.performWpAdminAction({ do: 'release-plugin', plugin: slug, version: '9.9' });
      site.defects.failingPackages.add(slug);
    }
    await syncSites(world);
    const run = await world.ability('run-updates-v1', { site_ids_or_domains: spellings, specific_items: [slug] });
    const placed = (failures: Failure[]): unknown[] => failures.map(({ identifier, site_id }) => [identifier, site_id]);
    const expected = spellings.map((ref, index) => [ref, world.siteId(index)]);
    assert.deepEqual(new Map(placed(failuresIn(run)) as [Ref, number][]), new Map(expected as [Ref, number][]));
    const { items } = await readNewestJob(world, 'update');
    assert.deepEqual(new Set(namesIn(items)), new Set(spellings));
  });

  for (const operation of taking('site_ids_or_domains', ['post']))
    it(`when the input names an unknown site, then the error has the same text: ${operation.place.operation.operationId}`, async () => {
      const answer = await answerOf(operation, { site_ids_or_domains: strangers, types: [], specific_items: [] });
      assert.deepEqual(namesIn(answer), strangers);
    });

  for (const operation of taking('websites', ['get']).filter(({ place }) => !CALLS_NONE.test(place.id)))
    it(`when the query names a failing site, then the error has the same text: ${operation.place.operation.operationId}`, async () => {
      const { path } = await exampleRequest(operation.contract, operation.place);
      const asked = `${path}?websites=${encodeURIComponent([...strangers, ...spellings].join(','))}`;
      for (const site of world.fleet.sites) site.fault = { kind: 'refuse' };
      const { body } = await world.request('GET', asked);
      for (const site of world.fleet.sites) site.fault = null;
      assert.deepEqual(namesIn(body), [...strangers, ...spellings].map(String));
    });

  for (const operation of taking('websites', ['post', 'put']).filter(({ place }) => !CALLS_NONE.test(place.id)))
    it(`when the body names a failing site, then the error has the same text: ${operation.place.operation.operationId}`, async () => {
      const { contract, place } = operation;
      const { method, path, body } = await exampleRequest(contract, place, { websites: [...strangers, ...spellings] });
      const { groups: _groups, clients: _clients, ...sent } = JSON.parse(body ?? '{}') as Record<string, unknown>;
      for (const site of world.fleet.sites) site.fault = { kind: 'refuse' };
      const answer = (await world.request(method, path, { body: sent })).body;
      for (const site of world.fleet.sites) site.fault = null;
      assert.deepEqual(namesIn(answer), [...strangers, ...spellings]);
    });

  for (const operation of taking('include', ['post']).filter(({ place }) => /sites_|updates_run/.test(place.id)))
    it(`when the body includes an unknown site, then the error has the same ID: ${operation.place.operation.operationId}`, async () => {
      const answer = await answerOf(operation, { include: [99_999, 99_998], type: [] });
      assert.deepEqual(namesIn(answer), [99_999, 99_998]);
    });

  it('when a job calls a site, then the job on both surfaces names the site as the caller wrote it', async () => {
    for (const site of world.fleet.sites) site.fault = { kind: 'refuse' };
    const answer = await syncSites(world, ...spellings);
    for (const site of world.fleet.sites) site.fault = null;
    assert.deepEqual(namesIn(answer), spellings);
    const { data: job, items: done, errors } = await readNewestJob(world, 'sync');
    assert.deepEqual(namesIn(errors), spellings);
    assert.deepEqual(
      done.map(({ identifier }: Failure) => identifier),
      spellings,
    );
    assert.deepEqual(namesIn(await world.ability('get-batch-job-status-v1', { job_id: job.job_id })), spellings);
    const again = (await world.request('POST', `/api/v2/jobs/${job.job_id}/retry-failed`)).body.data.job_id;
    const items: Failure[] = (await world.finishedJob(again)).items;
    assert.deepEqual(
      items.map(({ identifier }) => identifier),
      spellings,
    );
  });
});
