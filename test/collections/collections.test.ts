import assert from 'node:assert/strict';
import lang from '@usebruno/lang';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { collectionFiles } from '../../scripts/build/collections/collections.ts';
import { handlerIdOf, operationsOf } from '../../src/contract/index.ts';
import { readContract } from '../../src/surfaces/generated-files.ts';
import { checkResponse } from '../support/contract-check.ts';
import { startWorld, type World } from '../support/world.ts';
import {
  POSTMAN_SCHEMA,
  sentRequestOf,
  withValues,
  type PostmanCollection,
  type PostmanItem,
} from './postman-format.ts';

// Runs on SQLite only: the test is about generated requests.

/** Parts whose reads are sent. More parts take longer and test nothing else. */
const READ = ['sites', 'clients', 'tags', 'jobs', 'updates', 'costs'];

describe('request collections', () => {
  let files: Map<string, string>;
  let collection: PostmanCollection;
  let ofFleet: PostmanCollection;
  let items: PostmanItem[];

  before(async () => {
    files = await collectionFiles();
    collection = readCollection('sitefleet');
    ofFleet = readCollection('sitefleet-fleet');
    items = [...itemsOf(collection), ...itemsOf(ofFleet)];
  });

  const readCollection = (name: string): PostmanCollection =>
    JSON.parse(files.get(`${name}.postman_collection.json`) ?? '') as PostmanCollection;

  const operationIds = (): string[] => [
    ...new Set(
      (['abilities', 'v2'] as const).flatMap((surface) =>
        operationsOf(readContract(surface)).map(({ operation }) => handlerIdOf(operation.operationId)),
      ),
    ),
  ];

  it('when the Postman collection is validated, then it matches the schema of format 2.1', () => {
    const validate = new Ajv2020({ allErrors: true }).compile(POSTMAN_SCHEMA);
    for (const each of [collection, ofFleet]) assert.ok(validate(each), JSON.stringify(validate.errors?.slice(0, 5)));
  });

  it('when the contract has an operation, then one request of the collections is for it, in the folder of its part', () => {
    assert.deepEqual(items.map(idOf).sort(), operationIds().sort());
    const bruno = [...files.keys()].flatMap((name) => BRUNO_REQUEST.exec(name)?.[1] ?? []);
    assert.deepEqual(bruno.filter((name) => name !== 'folder').sort(), operationIds().sort());
    assert.ok(files.has('bruno/REST v2 (change)/tags/tags_add.bru'));
  });

  it('when a folder is for reads, then it has no request that changes something, and no other folder has reads', () => {
    const reads = new Set(
      (['abilities', 'v2'] as const).flatMap((surface) =>
        operationsOf(readContract(surface))
          .filter(({ path }) => !/\{(destroy|renew|disconnect)_id\}$/.test(path))
          .filter(({ verb, item }) => verb === 'get' || item['x-ability']?.readonly === true)
          .map(({ operation }) => handlerIdOf(operation.operationId)),
      ),
    );
    const folders = [...collection.item, ...ofFleet.item];
    for (const { name, item } of folders)
      for (const id of item.flatMap((part) => part.item).map(idOf))
        assert.equal(reads.has(id), name.endsWith('(read)'), id);
  });

  it('when a request changes all sites or the service as it is sent, then it is in the collection of the fleet', () => {
    const changes = itemsOf(collection).map(idOf);
    for (const id of [
      ...['sites_disconnect_all', 'sites_sync_all', 'updates_run', 'update-all-v1', 'sync-sites-v1', 'sites_check_all'],
      ...['tools_destroy_sessions', 'tools_renew_connections', 'tools_disconnect_all_sites', 'modules_edit'],
      ...['settings_general_edit', 'settings_emails_edit', 'schedules_run'],
    ]) {
      assert.equal(changes.includes(id), false, id);
      assert.ok(itemsOf(ofFleet).map(idOf).includes(id), id);
    }
    for (const id of ['tags_add', 'sites_disconnect', 'update-site-core-v1']) assert.ok(changes.includes(id), id);
  });

  it('when a path names a record, then a variable of the collection fills it', () => {
    const names = new Set(collection.variable.map(({ key }) => `{{${key}}}`));
    const own = /^(name|slug|mail_type|api_slug|(destroy|renew|disconnect)_id)$/;
    for (const item of items)
      for (const [key, value] of sentRequestOf(item).pathFields)
        assert.equal(names.has(value), !own.test(key), `${key} of ${idOf(item)}: ${value}`);
  });

  it('when a request has a body, then it is the example of the contract', () => {
    const request = items.find(({ request: { description } }) => description.endsWith('`tags_add`'))?.request;
    const [add] = operationsOf(readContract('v2')).filter(({ id }) => id === 'tags_add');
    const example = add?.operation.requestBody?.content['application/json']?.example;
    assert.deepEqual(JSON.parse(request?.body?.raw ?? ''), example);
    const tag = items.find((item) => idOf(item) === 'get-tag-v1')?.request.body?.raw ?? '';
    assert.deepEqual(JSON.parse(withValues(tag, { tag: '7' })), { input: { tag_id: 7 } });
  });

  it('when the official parser reads the Bruno files, then the requests equal those of Postman', () => {
    const bySummary = new Map(items.map((item) => [item.request.description.split('`').at(-2), sentRequestOf(item)]));
    for (const [name, text] of files) {
      const [, id = ''] = BRUNO_REQUEST.exec(name) ?? [];
      if (id === '' || id === 'folder') continue;
      const { http, params = [], headers = [], body = {} } = lang.bruToJsonV2(text);
      const enabled = params.filter((each) => each.enabled);
      assert.deepEqual(
        {
          method: http.method.toUpperCase(),
          path: http.url.split('?')[0],
          pathFields: enabled.filter(({ type }) => type === 'path').map((each) => [each.name, each.value]),
          query: enabled.filter(({ type }) => type === 'query').map((each) => [each.name, each.value]),
          headers: headers.filter((each) => each.enabled).map((each) => [each.name, each.value]),
          body: body.json,
        },
        bySummary.get(id),
        name,
      );
    }
    const environment = lang.bruToEnvJsonV2(files.get('bruno/environments/Local.bru') ?? '');
    assert.deepEqual(
      environment.variables.map(({ name, secret }) => `${name} ${secret}`).sort(),
      collection.variable.map(({ key }) => `${key} ${key === 'apiKey'}`).sort(),
    );
    assert.equal(lang.collectionBruToJson(files.get('bruno/collection.bru') ?? '').auth?.mode, 'bearer');
  });

  describe('with a running service', () => {
    let world: World;
    before(async () => {
      world = await startWorld({ sites: 1 });
    });
    after(() => world.close());

    it('when reads of the collection are sent, then the responses match the contract', async () => {
      const folders = collection.item.flatMap(({ item }) => item).filter(({ name }) => READ.includes(name));
      const reads = folders.flatMap(({ item }) => item).filter(({ request }) => request.method === 'GET');
      assert.ok(reads.length > 30, `${reads.length} reads`);
      let successes = 0;
      for (const item of reads) if ((await send(item)) < 400) successes++;
      // The other requests name records that this service does not have.
      assert.ok(successes > reads.length / 2, `${successes} of ${reads.length}`);
    });

    it('when a request with a body is sent, then it succeeds', async () => {
      const add = items.find(({ request }) => request.description.endsWith('`add-tag-v1`'));
      assert.ok(add);
      assert.equal(await send(add), 200);
    });

    /** Sends a request as Postman does: with variables, no disabled fields, and the credential of the collection. */
    async function send(item: PostmanItem): Promise<number> {
      const values = Object.fromEntries(collection.variable.map(({ key, value }) => [key, value]));
      const { method, path, pathFields, query, headers, body } = sentRequestOf(item);
      const url = new URL(
        path.replace('{{baseUrl}}', world.url).replace(/:(\w+)(?=\/|$)/g, (whole, name: string) => {
          const field = pathFields.find(([key]) => key === name)?.[1];
          return field === undefined ? whole : encodeURIComponent(withValues(field, values));
        }),
      );
      for (const [name, value] of query) url.searchParams.append(name, withValues(value, values));
      const [token] = collection.auth.bearer;
      assert.equal(token.value, '{{apiKey}}');
      const response = await fetch(url, {
        method,
        headers: [...headers, ['Authorization', world.authorizations.admin ?? '']],
        ...(body === undefined ? {} : { body: withValues(body, values) }),
      });
      const isJson = response.headers.get('content-type')?.startsWith('application/json');
      const text = await response.text();
      checkResponse(method, url.pathname + url.search, response.status, isJson ? JSON.parse(text) : undefined);
      return response.status;
    }
  });
});

const BRUNO_REQUEST = /^bruno(?:-fleet)?\/[^/]+\/[^/]+\/((?!folder\.)[^/]+)\.bru$/;

const itemsOf = ({ item }: PostmanCollection): PostmanItem[] =>
  item.flatMap((folder) => folder.item.flatMap((part) => part.item));

const idOf = ({ request }: PostmanItem): string => /Operation: `([^`]+)`$/.exec(request.description)?.[1] ?? '';
