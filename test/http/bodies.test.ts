import assert from 'node:assert/strict';
import { basic, bearer, withSmallApp, type SmallApp } from './small-app.ts';

const LOOK = '/abilities/v1/svc/look-around-v1/run';
const CHANGE = '/abilities/v1/svc/change-thing-v1/run';
const DEFAULTS = { page: 1, per_page: 20, search: '' };

interface ErrorBody {
  data: { errors: { path: string; message: string }[] };
}
const pathsOf = (body: unknown): string[] =>
  [...new Set((body as ErrorBody).data.errors.map(({ path }) => path))].sort();

describe('request bodies', () => {
  let app: SmallApp;
  withSmallApp((started) => (app = started));

  for (const body of ['{}', '{"input": {}}', '{"input": null}', '{"input": []}', ' { "input" : { } } '])
    it(`when the body is ${body}, then the ability is called with the default input`, async () => {
      const { status, json, text } = await app.call('POST', LOOK, { body });
      assert.equal(status, 200, text);
      assert.deepEqual(json.input, DEFAULTS);
    });

  for (const [what, headers] of [
    ['no content type', {}],
    ['a content type', { 'content-type': 'application/json' }],
    ['a length of zero', { 'content-length': '0' }],
    ['a foreign content type', { 'content-type': 'text/plain' }],
  ] as const)
    it(`when there is no body but ${what}, then the ability is called with the default input`, async () => {
      const { status, json, text } = await app.call('POST', LOOK, { headers });
      assert.equal(status, 200, text);
      assert.deepEqual(json.input, DEFAULTS);
    });

  it('when an inner object is empty, then its defaults are filled in', async () => {
    const { json } = await app.call('POST', LOOK, { body: { input: { filter: {} } } });
    assert.deepEqual(json.input, { ...DEFAULTS, filter: { up: true } });
  });

  it('when a field is null, absent or has a value, then the handler can distinguish the three', async () => {
    for (const owner of [null, 3]) {
      const { json } = await app.call('POST', LOOK, { body: { input: { owner } } });
      assert.equal(json.input.owner, owner);
    }
    assert.ok(!('owner' in (await app.call('POST', LOOK)).json.input));
  });

  it('when a field allows several types, then its value is not converted', async () => {
    for (const ref of [12, '12', 'example.com'])
      assert.equal((await app.call('POST', LOOK, { body: { input: { ref } } })).json.input.ref, ref);
  });

  it('when a field is sent under its alias, then the handler gets it under its name', async () => {
    const { json } = await app.call('POST', LOOK, { body: { input: { kinds: ['core'] } } });
    assert.deepEqual(json.input, { ...DEFAULTS, types: ['core'] });
  });

  it('when the content type has a charset, then the body is read', async () => {
    const headers = { 'content-type': 'Application/JSON; charset=utf-8' };
    const { status, json } = await app.call('POST', LOOK, { headers, body: '{"input": {"search": "Bücher"}}' });
    assert.equal(status, 200);
    assert.equal(json.input.search, 'Bücher');
  });

  for (const [input, paths] of [
    [{ page: '2' }, ['input.page']],
    [{ up: 'true' }, ['input.up']],
    [{ up: 1 }, ['input.up']],
    [{ types: 'core' }, ['input.types']],
    [{ nope: 1 }, ['input.nope']],
    [{ filter: { nope: 1, up: 'x' } }, ['input.filter.nope', 'input.filter.up']],
    [{ kinds: ['core'], types: ['core'] }, ['input.kinds']],
    [
      { page: 0, per_page: 101, search: 'x'.repeat(51), ids: [0, 1] },
      ['input.ids.0', 'input.page', 'input.per_page', 'input.search'],
    ],
    ['text', ['input']],
    [[1], ['input']],
  ] as [unknown, string[]][])
    it(`when the input is ${JSON.stringify(input).slice(0, 60)}, then the error names ${paths.join(', ')}`, async () => {
      const { status, json, text } = await app.call('POST', LOOK, { body: { input } });
      assert.equal(status, 400, text);
      assert.equal(json.code, 'ability_invalid_input');
      assert.deepEqual(pathsOf(json), paths);
      for (const path of paths) assert.ok(json.message.includes(path), json.message as string);
    });

  for (const [body, paths] of [
    ['{"input": {}, "page": 2}', ['page']],
    ['{"page": 2}', ['page']],
    ['[]', ['']],
    ['"text"', ['']],
    ['7', ['']],
  ] as [string, string[]][])
    it(`when the body is ${body}, then the request is rejected`, async () => {
      const { status, json, text } = await app.call('POST', LOOK, { body });
      assert.equal(status, 400, text);
      assert.equal(json.code, 'ability_invalid_input');
      if (paths[0]) assert.deepEqual(pathsOf(json), paths);
    });

  for (const body of [undefined, '{}', '{"input": {}}', '{"input": null}', '{"input": []}'])
    it(`when the body is ${body ?? 'absent'}, then the error names the required field`, async () => {
      const { status, json } = await app.call('POST', CHANGE, body === undefined ? {} : { body });
      assert.equal(status, 400);
      assert.equal(json.code, 'ability_invalid_input');
      assert.deepEqual(pathsOf(json), ['input.slug']);
    });

  for (const body of ['{', '{"input": {"page": 2}', '{input: {}}', "{'input': {}}", '\u0000', '{"a":1}}'])
    it(`when the body is ${JSON.stringify(body)}, then the request fails with rest_invalid_json`, async () => {
      for (const path of [LOOK, '/api/v2/things']) {
        const { status, json } = await app.call('POST', path, { body });
        assert.equal(status, 400);
        assert.deepEqual(json, {
          code: 'rest_invalid_json',
          message: 'The body is not valid JSON in UTF-8.',
          data: { status: 400 },
        });
      }
    });

  it('when the body is not valid UTF-8, then the request fails with rest_invalid_json', async () => {
    const body = Buffer.from('{"input": {"slug": "\xff\xc3("}}', 'latin1');
    const headers = { authorization: basic('admin'), 'content-type': 'application/json' };
    const answer = await fetch(app.url + CHANGE, { method: 'POST', headers, body });
    assert.equal(answer.status, 400);
    assert.equal(((await answer.json()) as { code: string }).code, 'rest_invalid_json');
  });

  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/vnd.api+json',
    'application/json-patch+json',
    'nonsense',
  ])
    it(`when the media type is ${type}, then the request fails with 415`, async () => {
      for (const path of [LOOK, '/api/v2/things']) {
        const { status, json } = await app.call('POST', path, { headers: { 'content-type': type }, body: '{}' });
        assert.equal(status, 415);
        assert.equal(json.code, 'rest_unsupported_media_type');
        assert.deepEqual(json.data, { status: 415 });
      }
    });

  it('when the content encoding is unknown, then the request fails with 415', async () => {
    const { status, json } = await app.call('POST', LOOK, { headers: { 'content-encoding': 'zzip' }, body: '{}' });
    assert.equal(status, 415);
    assert.equal(json.code, 'rest_unsupported_media_type');
  });

  it('when the body has 8 MiB, then it is read, and one more byte is rejected', async () => {
    const body = (size: number): string => {
      const frame = '{"input":{"search":""}}';
      return frame.replace('""', `"${'x'.repeat(size - frame.length)}"`);
    };
    const limit = 8 * 1024 * 1024;
    // The body is read and validated, because the error is about the length of the search.
    const whole = await app.call('POST', LOOK, { body: body(limit) });
    assert.equal(whole.status, 400);
    assert.deepEqual(pathsOf(whole.json), ['input.search']);
    const over = await app.call('POST', LOOK, { body: body(limit + 1) });
    assert.equal(over.status, 413);
    assert.equal(over.json.code, 'svc_request_too_large');
    assert.deepEqual(over.json.data, { status: 413 });
  });

  it('when an operation without a body gets one, then the request is rejected for any verb', async () => {
    for (const [method, path, code] of [
      ['GET', LOOK, 'ability_invalid_input'],
      ['GET', '/api/v2/things', 'rest_invalid_param'],
      ['DELETE', '/api/v2/things/a', 'rest_invalid_param'],
      ['POST', '/api/v2/things/a/touch', 'rest_invalid_param'],
    ] as const) {
      // Many clients send `{}` with every POST.
      for (const body of [method === 'POST' ? '[]' : '{}', '{"name":"a"}']) {
        const { status, json } = await app.call(method, path, { body });
        assert.deepEqual([status, json.code, pathsOf(json)], [400, code, ['body']], `${method} ${path}`);
      }
      assert.equal((await app.call(method, path)).status, 200);
      if (method === 'POST') assert.equal((await app.call(method, path, { body: '{}' })).status, 200);
    }
  });

  it('when the caller has no permission, then the response is 403 even if the body is unexpected', async () => {
    const { status } = await app.call('DELETE', '/api/v2/things/a', { body: '{}', as: bearer('reads') });
    assert.equal(status, 403);
  });

  it('when a route has a body, then the body is validated strictly, defaults are set and errors name the fields', async () => {
    const made = await app.call('POST', '/api/v2/things', { body: { name: 'a' } });
    assert.deepEqual(made.json.body, { name: 'a', size: 3 });
    for (const [body, paths] of [
      [undefined, ['body.name']],
      [{}, ['body.name']],
      [{ name: 'a', size: '3' }, ['body.size']],
      [{ name: 1, size: 0, nope: true }, ['body.name', 'body.nope', 'body.size']],
    ] as [unknown, string[]][]) {
      const { status, json } = await app.call('POST', '/api/v2/things', body === undefined ? {} : { body });
      assert.equal(status, 400);
      assert.equal(json.code, 'rest_invalid_param');
      assert.deepEqual(pathsOf(json), paths);
    }
  });

  it('when a route is called with PUT or PATCH, then the same handler runs', async () => {
    for (const method of ['PUT', 'PATCH']) {
      const { json } = await app.call(method, '/api/v2/things/a', { body: { size: null } });
      assert.deepEqual(json, { path: { ref: 'a' }, query: {}, body: { size: null } });
      assert.equal(app.handledOperations.at(-1), 'things_edit');
    }
  });
});
