import assert from 'node:assert/strict';
import { operationsOf, type Contract } from '../../src/contract/index.ts';
import type { HandlerResponse } from '../../src/http/operation-types.ts';
import { smallRoutes } from './small-contract.ts';
import { startSmallApp } from './small-app.ts';

/** The small contract, whose list has the headers of a page, and whose record has a tag. */
function pagedRoutes(): Contract {
  const contract = smallRoutes();
  const header = { schema: { type: 'string' } };
  for (const { operation } of operationsOf(contract)) {
    const response = operation.responses['200'] as { headers?: object; content?: object };
    response.content = { 'application/json': { schema: { type: 'object' } } };
    if (operation.operationId === 'things_list')
      response.headers = { 'X-WP-Total': header, 'X-WP-TotalPages': header, Link: header };
    if (operation.operationId === 'things_get') response.headers = { ETag: header };
  }
  return contract;
}

const PAGE: HandlerResponse = {
  status: 200,
  body: { data: [{ id: 1 }, { id: 2 }], total: 5, page: 1, per_page: 2, pages: 3 },
  headers: { 'X-WP-Total': '5', 'X-WP-TotalPages': '3' },
};
const page = (body: object, headers: Record<string, string> = {}): HandlerResponse => ({
  status: 200,
  body: { ...(PAGE.body as object), ...body },
  headers: { ...PAGE.headers, ...headers },
});

const FAULTS: readonly [what: string, path: string, response: HandlerResponse, problem: RegExp][] = [
  ['total is one more', '/things', page({ total: 6 }), /total is 6, but X-WP-Total is 5/],
  ['total is one less', '/things', page({ total: 4 }), /total is 4, but X-WP-Total is 5/],
  ['pages are too few', '/things', page({ pages: 2 }), /pages is 2, but there are 3/],
  ['number of pages differs in the header', '/things', page({}, { 'X-WP-TotalPages': '4' }), /TotalPages is 4, not 3/],
  ['page is too long', '/things', page({ data: [{}, {}, {}] }), /has 3 records, but per_page is 2/],
  ['list has no headers', '/things', { ...PAGE, headers: {} }, /lacks the header X-WP-Total/],
  ['record has no tag', '/things/7', { status: 200, body: { id: 7 } }, /lacks the header ETag/],
];

describe('consistency of responses', () => {
  const start = (responseChecks: 'refuse' | 'log', response: HandlerResponse) =>
    startSmallApp({
      contracts: { routes: pagedRoutes() },
      handlers: { things_list: async () => response, things_get: async () => response },
      responseChecks,
    });

  for (const [what, path, response, problem] of FAULTS)
    it(`when the ${what}, then the response is refused or logged`, async () => {
      const refusing = await start('refuse', response);
      assert.equal((await refusing.call('GET', `/api/v2${path}`)).status, 500);
      await refusing.close();
      const logging = await start('log', response);
      const { status, json } = await logging.call('GET', `/api/v2${path}`);
      assert.deepEqual([status, json], [200, response.body]);
      const line = logging.logs.find(({ msg }) => msg === 'a response violates the contract');
      assert.match(JSON.stringify(line?.['err']), problem);
      await logging.close();
    });

  it('when responses are consistent, then they are sent', async () => {
    for (const response of [
      PAGE,
      page({ total: 0, data: [], pages: 1 }, { 'X-WP-Total': '0', 'X-WP-TotalPages': '1' }),
      page({ data: [] }),
    ]) {
      const app = await start('refuse', response);
      const { status, json } = await app.call('GET', '/api/v2/things');
      assert.deepEqual([status, json], [200, response.body]);
      await app.close();
    }
    const record = await start('refuse', { status: 200, body: { id: 7 }, etag: '"7"' });
    assert.equal((await record.call('GET', '/api/v2/things/7')).status, 200);
    assert.equal((await record.call('GET', '/api/v2/things/7', { headers: { 'if-none-match': '"7"' } })).status, 304);
    await record.close();
  });
});
