import assert from 'node:assert/strict';
import { basic, withSmallApp, type SmallApp } from './small-app.ts';

const LOOK = '/abilities/v1/svc/look-around-v1/run';
const NUL = 'a\u0000b';
const HALF = 'a\ud83d';

describe('text that a database cannot store', () => {
  let app: SmallApp;
  withSmallApp((started) => (app = started));

  const refused = async (path: string, ...asked: Parameters<SmallApp['call']>): Promise<void> => {
    const before = app.handledOperations.length;
    const { status, json, text } = await app.call(...asked);
    assert.equal(status, 400, text);
    const surface = asked[1].startsWith('/api') ? 'rest_invalid_param' : 'ability_invalid_input';
    assert.deepEqual([json.code, json.data.errors.map((error: { path: string }) => error.path)], [surface, [path]]);
    assert.equal(app.handledOperations.length, before, 'no handler saw it');
  };

  for (const [what, text] of [
    ['U+0000', NUL],
    ['half of a surrogate pair', HALF],
  ] as const)
    it(`when a body contains ${what}, then the request is rejected and the error names the field`, async () => {
      await refused('input.search', 'POST', LOOK, { body: { input: { search: text } } });
      await refused('input.filter.tags.1', 'POST', LOOK, { body: { input: { filter: { tags: ['a', text] } } } });
      await refused('body.name', 'POST', '/api/v2/things', { body: { name: text } });
      await refused('body.free', 'PUT', '/api/v2/things/a', { body: { free: { [text]: 1 } } });
      await refused('body.free.deep.0', 'PUT', '/api/v2/things/a', { body: { free: { deep: [text] } } });
    });

  it('when a query or path contains a NUL character, then the request is rejected', async () => {
    await refused('input.search', 'GET', `${LOOK}?input[search]=a%00b`);
    await refused('input.search', 'GET', `${LOOK}?input=${encodeURIComponent('{"search":"a\\u0000b"}')}`);
    await refused('query.search', 'GET', '/api/v2/things?search=a%00b');
    await refused('params.ref', 'GET', '/api/v2/things/a%00b');
  });

  it('when a user name or password contains a NUL character, then the request is rejected', async () => {
    for (const as of [basic(NUL), basic('admin', 'secret\0')]) {
      await refused('headers.authorization', 'GET', '/api/v2/things', { as });
      await refused('authorization', 'GET', LOOK, { as });
    }
  });

  it('when surrogates are paired, then the text is accepted', async () => {
    const { status, json } = await app.call('POST', '/api/v2/things', { body: { name: 'a😀\uffff\u{10ffff}' } });
    assert.deepEqual([status, json.body.name], [200, 'a😀\uffff\u{10ffff}']);
  });
});
