import assert from 'node:assert/strict';
import { DEPTH_LIMIT, exceededJsonLimit, VALUE_LIMIT } from '../../src/http/json-limits.ts';
import { MAX_VALIDATION_ERRORS } from '../../src/http/validator-seams.ts';
import { bearer, withSmallApp, type SmallApp } from './small-app.ts';

const LOOK = '/abilities/v1/svc/look-around-v1/run';
const MIB = 1024 * 1024;
const sizeOf = (text: string): string | null => exceededJsonLimit(Buffer.from(text));

describe('size limits of JSON', () => {
  const list = (values: number): string => `[${'1,'.repeat(values - 2)}1]`;
  const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

  it('when a text has values of any type, then their number is limited', () => {
    assert.equal(sizeOf(list(VALUE_LIMIT)), null);
    assert.equal(sizeOf(list(VALUE_LIMIT + 1)), 'values');
    assert.equal(sizeOf(`[${'{},'.repeat(VALUE_LIMIT)}1]`), 'values');
    assert.equal(sizeOf(`{${'"a":1,'.repeat(VALUE_LIMIT)}"a":1}`), 'values');
  });

  it('when values are nested, then their depth is limited', () => {
    assert.equal(sizeOf(nested(DEPTH_LIMIT)), null);
    assert.equal(sizeOf(nested(DEPTH_LIMIT + 1)), 'depth');
    assert.equal(sizeOf(`[${'[],'.repeat(1_000)}1]`), null);
  });

  it('when a string contains brackets, then they are not counted', () => {
    const text = '[{,'.repeat(VALUE_LIMIT);
    for (const value of [text, `\\${text}`, `"${text}"`, `\\"${text}\\`])
      assert.equal(sizeOf(JSON.stringify({ [value]: value })), null);
    assert.equal(sizeOf(`["\\\\",${text}`), 'depth', 'a text that ends behind a backslash ends');
  });

  it('when a text is not valid JSON, then it is measured without an error', () => {
    for (const text of ['', '"', '"\\', ']]]', '{"a', 'é'.repeat(10)]) assert.equal(sizeOf(text), null);
  });
});

describe('expensive request body', () => {
  let app: SmallApp;
  withSmallApp((started) => (app = started));

  for (const [what, body] of [
    ['500,000 unknown names', `{${Array.from({ length: 500_000 }, (_, index) => `"k${index}":1`).join(',')}}`],
    ['1,000,000 bad items', `{"name":[${'1,'.repeat(1_000_000)}1]}`],
    ['8 million levels', '['.repeat(8 * MIB)],
  ] as const)
    it(`when a body has ${what}, then it is rejected before parsing, also for a read-only key`, async () => {
      for (const as of [bearer('full'), bearer('reads')]) {
        const { status, json } = await app.call('POST', '/api/v2/things', { body, as });
        assert.deepEqual([status, json.code], [413, 'svc_request_too_large']);
      }
    });

  it('when a body has 450 faults, then the error has the first 100 and the number of the others', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 450 }, (_, index) => [`k${index}`, 1]));
    const { status, json, text } = await app.call('POST', LOOK, { body: { input: unknown } });
    assert.equal(status, 400);
    assert.equal(json.data.errors.length, MAX_VALIDATION_ERRORS);
    assert.deepEqual(json.data.errors[0], { path: 'input.k0', message: 'must NOT have additional properties' });
    assert.equal(json.data.more_errors, 350);
    assert.match(json.message, /^input\.k0 must NOT .*; and 440 more$/);
    assert.ok(text.length < 20_000);
  });

  it('when a body has a few faults, then the error has only those', async () => {
    const { json } = await app.call('POST', LOOK, { body: { input: { page: 0, up: 1 } } });
    assert.deepEqual([json.data.errors.length, json.data.more_errors], [2, undefined]);
  });

  it('when a field name is very long, then the error omits it', async () => {
    const { status, text } = await app.call('POST', LOOK, { body: { input: { ['x'.repeat(MIB)]: 1 } } });
    assert.ok(status === 400 && text.length < 2_000, `${text.length}`);
  });

  it('when a value is too long or a list has too many items, then neither the pattern nor uniqueItems is checked', async () => {
    // Each check would take minutes.
    const blanks = ' '.repeat(4 * MIB);
    const doubles = Array.from({ length: 10_000 }, (_, index) => ({ index }));
    const { status, json } = await app.call('PUT', '/api/v2/things/a', { body: { mail: `${blanks}x`, doubles } });
    assert.equal(status, 400);
    assert.deepEqual(json.data.errors, [
      { path: 'body.mail', message: 'must NOT have more than 255 characters' },
      { path: 'body.doubles', message: 'must NOT have more than 100 items' },
    ]);
  });

  it('when value and list are within their limits, then pattern and uniqueItems are checked', async () => {
    const body = { mail: '  x', doubles: [{ a: 1 }, { a: 1 }] };
    const { json } = await app.call('PUT', '/api/v2/things/a', { body });
    assert.deepEqual(json.data.errors.map(({ path }: { path: string }) => path).sort(), ['body.doubles', 'body.mail']);
    const fits = { mail: ' a@b ', doubles: [{ a: 1 }, { a: 2 }] };
    assert.equal((await app.call('PUT', '/api/v2/things/a', { body: fits })).status, 200);
  });
});
