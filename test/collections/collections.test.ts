import assert from 'node:assert/strict';
import lang from '@usebruno/lang';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { collectionFiles } from '../../scripts/build/collections/collections.ts';
import { handlerIdOf, operationsOf } from '../../src/contract/index.ts';
import { readContract } from '../../src/surfaces/generated-files.ts';
import { checkResponse } from '../support/contract-check.ts';
import { startWorld, type World } from '../support/world.ts';
import { POSTMAN_SCHEMA, sentRequestOf, type PostmanCollection, type PostmanItem } from './postman-format.ts';

// Runs on SQLite only: the test is about generated requests.

/** Parameter values for the site of this test. */
const KNOWN: Readonly<Record<string, string>> = { id_or_domain: '1' };

/** Parts whose reads are sent. More parts take longer and test nothing else. */
const READ = ['sites', 'clients', 'tags', 'jobs', 'updates', 'costs'];

describe('request collections', () => {
  let files: Map<string, string>;
  let collection: PostmanCollection;
  let items: PostmanItem[];

  before(async () => {
    files = await collectionFiles();
    collection = JSON.parse(files.get('sitefleet.postman_collection.json') ?? '') as PostmanCollection;
    items = collection.item.flatMap(({ item: parts }) => parts.flatMap(({ item }) => item));
  });

  const operationIds = (): string[] => [
    ...new Set(
      (['abilities', 'v2'] as const).flatMap((surface) =>
        operationsOf(readContract(surface)).map(({ operation }) => handlerIdOf(operation.operationId)),
      ),
    ),
  ];

  it('when the Postman collection is validated, then it matches the schema of format 2.1', () => {
    const validate = new Ajv2020({ allErrors: true }).compile(POSTMAN_SCHEMA);
    assert.ok(validate(collection), JSON.stringify(validate.errors?.slice(0, 5)));
  });

  it('when the contract has an operation, then each collection has one request for it in the folder of its part', () => {
    const named = items.map(({ request }) => /Operation: `([^`]+)`$/.exec(request.description)?.[1]);
    assert.deepEqual(named.sort(), operationIds().sort());
    const bruno = [...files.keys()].flatMap((name) => /^bruno\/[^/]+\/[^/]+\/(.+)\.bru$/.exec(name)?.[1] ?? []);
    assert.deepEqual(bruno.filter((name) => name !== 'folder').sort(), operationIds().sort());
    assert.ok(files.has('bruno/REST v2/tags/tags_add.bru'));
  });

  it('when a request has a body, then it is the example of the contract', () => {
    const request = items.find(({ request: { description } }) => description.endsWith('`tags_add`'))?.request;
    const [add] = operationsOf(readContract('v2')).filter(({ id }) => id === 'tags_add');
    const example = add?.operation.requestBody?.content['application/json']?.example;
    assert.deepEqual(JSON.parse(request?.body?.raw ?? ''), example);
  });

  it('when the official parser reads the Bruno files, then the requests equal those of Postman', () => {
    const bySummary = new Map(items.map((item) => [item.request.description.split('`').at(-2), sentRequestOf(item)]));
    for (const [name, text] of files) {
      const [, id = ''] = /^bruno\/[^/]+\/[^/]+\/(.+)\.bru$/.exec(name) ?? [];
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
          json: body.json === undefined ? undefined : (JSON.parse(body.json) as unknown),
        },
        bySummary.get(id),
        name,
      );
    }
    const environment = lang.bruToEnvJsonV2(files.get('bruno/environments/Local.bru') ?? '');
    assert.deepEqual(
      environment.variables.map(({ name, secret }) => [name, secret]),
      [
        ['baseUrl', false],
        ['apiKey', true],
      ],
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
      // The other requests name records that do not exist.
      assert.ok(successes > reads.length / 2, `${successes} of ${reads.length}`);
    });

    it('when a request with a body is sent, then it succeeds', async () => {
      const add = items.find(({ request }) => request.description.endsWith('`add-tag-v1`'));
      assert.ok(add);
      assert.equal(await send(add), 200);
    });

    /** Sends a request as Postman does: with variables, no disabled fields, and the credential of the collection. */
    async function send(item: PostmanItem): Promise<number> {
      const { method, path, pathFields, query, headers, json } = sentRequestOf(item);
      const url = new URL(
        path.replace('{{baseUrl}}', world.url).replace(/:(\w+)(?=\/|$)/g, (whole, name: string) => {
          const known = KNOWN[name] ?? pathFields.find(([key]) => key === name)?.[1];
          return known === undefined ? whole : encodeURIComponent(known);
        }),
      );
      for (const [name, value] of query) url.searchParams.append(name, value);
      const [token] = collection.auth.bearer;
      assert.equal(token.value, '{{apiKey}}');
      const response = await fetch(url, {
        method,
        headers: [...headers, ['Authorization', world.authorizations.admin ?? '']],
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      });
      const isJson = response.headers.get('content-type')?.startsWith('application/json');
      const text = await response.text();
      checkResponse(method, url.pathname, response.status, isJson ? JSON.parse(text) : undefined);
      return response.status;
    }
  });
});
