import assert from 'node:assert/strict';
import { deref, jsonMediaOf, type Contract, type Schema } from '../../src/contract/index.ts';
import { documentedOperations } from '../support/documented-operations.ts';
import { exampleRequest } from '../../src/contract-checks/index.ts';
import { startWorld, type World } from '../support/world.ts';

// Runs on SQLite only: the test compares responses with the contract.

const SAYS_ORDER =
  /\b(newest|last changed|gravest) first\b|\b(order(ed|s)?|sorted)\b|\bby (the )?(address|name|slug|site|kind)\b/i;

interface List {
  name: string;
  description: string;
}

/** Returns the lists of a response and the objects with one entry per key, with their descriptions. */
function listsIn(contract: Contract, node: Schema, name = ''): List[] {
  const { description: beside } = node as { description?: string };
  const schema = deref(contract, node) as Schema & { description?: string; additionalProperties?: unknown };
  const variants = [schema['oneOf'], schema['anyOf']].find(Array.isArray) as Schema[] | undefined;
  if (variants) return variants.flatMap((each) => listsIn(contract, each, name));
  const description = `${beside ?? ''} ${schema.description ?? ''}`;
  if (schema.type === 'array' || isKeyed(schema)) return [{ name, description }];
  return Object.entries(schema.properties ?? {}).flatMap(([field, inner]) =>
    name === '' || name === 'data' ? listsIn(contract, inner, field) : [],
  );
}

const isKeyed = ({ type, additionalProperties }: Schema): boolean =>
  type === 'object' && typeof additionalProperties === 'object';

/** Messages for people, and sets that belong to a record. */
const NO_LIST = new Set(['warnings', 'tags', 'sync_errors', 'permissions', 'post_gallery_images', 'post_custom']);

describe('every list in a response', () => {
  it('when a response has a list, then the contract states its order', () => {
    const untold = documentedOperations().flatMap(({ contract, place: { operation } }) => {
      const { description: ofOperation } = operation as { description?: string };
      const answer = operation.responses['200'] as { description?: string };
      const lists = listsIn(contract, jsonMediaOf(operation.responses['200'])?.schema ?? {});
      assert.ok(lists.length < 20, 'the walk ends');
      return lists
        .filter(({ name, description }) => !NO_LIST.has(name) && !description.trim().startsWith('Always empty'))
        .filter(({ name, description }) => {
          const around = name === 'errors' ? '' : `${ofOperation} ${answer.description}`;
          return !SAYS_ORDER.test(`${description} ${around}`);
        })
        .map(({ name }) => `${operation.operationId.split('__')[0]} ${name}`);
    });
    assert.deepEqual([...new Set(untold)], []);
  });
});

/** These responses are read from records, and are not keyed by URL. */
const FROM_RECORDS = /^(perf_audit_|updates_plan$)/;

describe('every response that is keyed by site URL', () => {
  const asked = documentedOperations(({ contract, place }) =>
    (place.verb === 'get' && !FROM_RECORDS.test(place.id) ? (place.operation.parameters ?? []) : []).some(
      (each) => deref(contract, each).name === 'websites',
    ),
  );
  let world: World;
  before(async () => {
    world = await startWorld({ sites: 4 });
    const { knex } = world.container.database;
    // The address of the last site sorts first without its scheme, and the first site responds last.
    await knex('sites')
      .where({ id: world.siteId(3) })
      .update({ url_key: '1.example' });
    world.site(0).latencyMs = 250;
  });
  after(() => world.close());

  for (const { contract, place } of asked)
    it(`when sites respond in any order, then the keys are ordered by URL: ${place.operation.operationId}`, async () => {
      const inOrder = [3, 0, 1, 2].map((index) => world.site(index).url);
      const { path } = await exampleRequest(contract, place);
      const named = [2, 0, 3, 1].map((index) => world.siteId(index)).join(',');
      for (const query of ['', `?websites=${named}`]) {
        const { body } = await world.request('GET', path + query);
        assert.deepEqual(Object.keys(body.data), inOrder);
      }
    });
});
