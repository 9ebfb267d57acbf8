import assert from 'node:assert/strict';
import { hasLongList, jsonPieces } from '../../src/http/json-pieces.ts';
import { basic, startSmallApp } from './small-app.ts';

const textOf = async (body: unknown): Promise<string> => Buffer.concat(await jsonPieces(body)).toString('utf8');
const longList = (length = 2_000) => Array.from({ length }, (_, index) => ({ id: index, name: `Größe "${index}"` }));

describe('JSON in pieces', () => {
  it('when a body is converted in pieces, then its text is that of JSON.stringify', async () => {
    for (const body of [
      { success: 1, data: longList(), missing: undefined, none: null, page: { empty: {}, list: [], number: 1.5 } },
      longList(),
      [1, undefined, null, [undefined], { at: new Date(0), left: undefined }],
      { at: new Date(0), only: undefined, 'a "key"': { deep: { deeper: { deepest: { list: longList(60) } } } } },
      { only: undefined },
      {},
      [],
      'text',
      null,
    ])
      assert.equal(await textOf(body), JSON.stringify(body));
  });

  it('when a list is long, then other callbacks run while it is converted', async () => {
    let turns = 0;
    const count = (): void => void (turns++, (timer = setImmediate(count)));
    let timer = setImmediate(count);
    const pieces = await jsonPieces({ data: { items: longList(200_000) } });
    clearImmediate(timer);
    assert.ok(turns > 2, `${turns} turns`);
    assert.ok(Math.max(...pieces.map(({ length }) => length)) < 100_000);
  });

  it('when a body has no long list, then it is converted at once', () => {
    assert.equal(hasLongList({ success: 1, data: { items: longList(50) } }), false);
    for (const body of [longList(51), { data: longList(51) }, { data: { sites: longList(51) } }])
      assert.equal(hasLongList(body), true);
    assert.equal(hasLongList({ data: Object.fromEntries(longList(51).entries()) }), true);
  });

  it('when a handler returns a long list, then the response is complete, with its length', async () => {
    const body = { path: {}, query: {}, body: { list: longList() } };
    const app = await startSmallApp({ handlers: { things_list: async () => ({ status: 200, body }) } });
    const { status, headers, text } = await app.call('GET', '/api/v2/things', { as: basic('admin') });
    assert.deepEqual([status, headers['content-type']], [200, 'application/json; charset=utf-8']);
    assert.equal(headers['content-length'], String(Buffer.byteLength(text)));
    assert.equal(text, JSON.stringify(body));
    await app.close();
  });

  it('when a long list cannot be converted, then the response is an error', async () => {
    const body = { path: {}, query: {}, body: { list: [...longList(), 1n] } };
    const app = await startSmallApp({ handlers: { things_list: async () => ({ status: 200, body }) } });
    const { status, json } = await app.call('GET', '/api/v2/things', { as: basic('admin') });
    assert.deepEqual([status, json.code], [500, 'svc_internal_error']);
    await app.close();
  });
});
