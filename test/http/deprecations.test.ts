import assert from 'node:assert/strict';
import { deprecations as withSentences } from '../../scripts/contract/plugin/decorators/deprecations.mjs';
import { operationsOf, schemasOf, type Contract, type ContractOperation } from '../../src/contract/index.ts';
import { readContract } from '../../src/surfaces/generated-files.ts';
import { bearer, withSmallApp, type Reply, type SmallApp } from './small-app.ts';
import { smallAbilities, smallRoutes } from './small-contract.ts';

const DEPRECATION = { since: '2026-12-01', sunset: '2027-06-01', replacement: 'things_get' };
const LOOK = '/abilities/v1/svc/look-around-v1/run';

/** Returns a served contract with these deprecations. */
function deprecating(contract: Contract, deprecations: Record<string, object>): Contract {
  for (const { operation } of operationsOf(contract)) {
    const deprecation = deprecations[operation.operationId];
    if (deprecation) Object.assign(operation, { deprecated: true, 'x-deprecation': deprecation });
  }
  withSentences(contract);
  return contract;
}

const announced = ({ headers }: Reply): unknown[] => [headers['deprecation'], headers['sunset'], headers['link']];
const ANNOUNCED = [
  '@1796083200',
  'Tue, 01 Jun 2027 00:00:00 GMT',
  '</docs/reference/v2/things_basic>; rel="deprecation"; type="text/html", ' +
    '</docs/reference/v2/things_get>; rel="successor-version"; type="text/html"',
];
const NO_HEADERS = [undefined, undefined, undefined];

describe('deprecated operations', () => {
  const sentence = { ...DEPRECATION, replacement: 'Look at the sites themselves.' };
  const contracts = {
    routes: deprecating(smallRoutes(), {
      things_basic: DEPRECATION,
      things_create: DEPRECATION,
      logs_list: DEPRECATION,
    }),
    abilities: deprecating(smallAbilities(), { 'look-around-v1': sentence, 'look-around-v1__post': sentence }),
  };
  const paged = { status: 200, body: { path: {}, query: {} }, headers: { Link: '</api/v2/logs?page=2>; rel="next"' } };
  const handlers = { logs_list: async () => paged };
  let app: SmallApp;
  withSmallApp((started) => (app = started), { contracts, handlers });

  it('when a deprecated operation is called, then the headers have its dates and successor', async () => {
    for (const method of ['GET', 'HEAD'])
      for (const path of ['/api/v2/things/basic', '/api/v2/things/basic/', '/api/v2/things/basic?page=1'])
        assert.deepEqual(announced(await app.call(method, path)), ANNOUNCED, `${method} ${path}`);
  });

  it('when a call to a deprecated operation fails, then the headers have its dates and successor too', async () => {
    const things = '/api/v2/things';
    for (const [status, answer] of [
      [401, await app.call('POST', things, { as: null, body: { name: 'a' } })],
      [403, await app.call('POST', things, { as: bearer('reads'), body: { name: 'a' } })],
      [400, await app.call('POST', things, { body: { name: 7 } })],
      [400, await app.call('POST', things, { body: '{' })],
      [415, await app.call('POST', things, { headers: { 'content-type': 'text/plain' }, body: 'a' })],
      [400, await app.call('GET', `${LOOK}?input[page]=0`)],
      [401, await app.call('POST', LOOK, { as: null })],
    ] as const) {
      assert.equal(answer.status, status);
      assert.equal(answer.headers['deprecation'], '@1796083200', answer.text);
      assert.equal(answer.headers['sunset'], 'Tue, 01 Jun 2027 00:00:00 GMT');
    }
  });

  it('when the replacement is a sentence, then there is no successor link', async () => {
    const { headers } = await app.call('GET', LOOK);
    assert.equal(headers['link'], '</docs/reference/abilities/look-around-v1>; rel="deprecation"; type="text/html"');
  });

  it('when the response has its own links, then they are kept', async () => {
    const { headers } = await app.call('GET', '/api/v2/logs');
    assert.match(String(headers['link']), /rel="deprecation".*rel="successor-version".*rel="next"/);
  });

  it('when another verb, path or ability is called, then the response has no deprecation headers', async () => {
    for (const [method, path] of [
      ['GET', '/api/v2/things'],
      ['GET', '/api/v2/things/other'],
      ['GET', '/api/v2/nothing'],
      ['POST', '/api/v2/things/basic'],
      ['POST', '/abilities/v1/svc/read-logs-v1/run'],
      ['GET', '/healthz'],
    ] as const)
      assert.deepEqual(announced(await app.call(method, path)), NO_HEADERS, `${method} ${path}`);
  });
});

describe('deprecations in the contract', () => {
  const readOf = (contract: Contract, id: string): ContractOperation => {
    const place = operationsOf(contract).find(({ operation }) => operation.operationId === id);
    assert.ok(place);
    return place.operation;
  };

  it('when the document is built, then the description ends with the deprecation', () => {
    const contract = deprecating(smallRoutes(), { things_list: DEPRECATION });
    const sentence = 'Deprecated since 2026-12-01; it may go on 2027-06-01. Use `things_get` instead.';
    assert.equal(readOf(contract, 'things_list').description, sentence);
    assert.equal(readOf(contract, 'things_get').description, undefined);
  });

  it('when a parameter or field is deprecated, then its description ends with the deprecation', () => {
    const contract = smallRoutes();
    Object.assign((readOf(contract, 'things_list').parameters ?? [])[1] ?? {}, { 'x-deprecation': DEPRECATION });
    contract.components['schemas'] = {
      Name: { type: 'string', description: 'A name.' },
      Thing: { properties: { name: { $ref: '#/components/schemas/Name', 'x-deprecation': DEPRECATION } } },
    };
    withSentences(contract);
    const [, search] = readOf(contract, 'things_list').parameters ?? [];
    assert.match(String((search as { description?: string }).description), /^Deprecated since 2026-12-01/);
    const { name } = schemasOf(contract)['Thing']?.properties ?? {};
    assert.match(String(name?.['description']), /^A name\.\n\nDeprecated since 2026-12-01/);
    assert.equal(schemasOf(contract)['Name']?.['description'], 'A name.');
  });

  it('when the served contract has x-deprecation, then the operation is marked as deprecated too', () => {
    for (const surface of ['abilities', 'v2'] as const)
      for (const { operation } of operationsOf(readContract(surface)))
        assert.equal(operation.deprecated === true, operation['x-deprecation'] !== undefined, operation.operationId);
  });
});
