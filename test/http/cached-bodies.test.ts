import assert from 'node:assert/strict';
import { cachedTextOf, CachedBodies } from '../../src/http/cached-bodies.ts';
import { startSmallApp } from './small-app.ts';

interface Value {
  names: string[];
}

const view = ({ names }: Value) => ({ input: { names: names.map((name) => ({ name })) } });
const LOOK = '/abilities/v1/svc/look-around-v1/run';
const valueOf = (count: number): Value => ({ names: Array.from({ length: count }, (_, index) => `Ä${index}`) });

describe('cached response bodies', () => {
  let rendered = 0;
  const cachedBodies = () =>
    new CachedBodies((value: Value) => {
      rendered += 1;
      return view(value);
    });
  beforeEach(() => (rendered = 0));

  for (const responseChecks of ['off', 'log', 'refuse'] as const)
    it(`when the checks are ${responseChecks}, then each response has the body of its own value`, async () => {
      // The second value has a long list, which is sent in pieces, and the third one too much text to cache.
      const values = [valueOf(2), valueOf(60), valueOf(5_000)] as const;
      const bodies = cachedBodies();
      let current: Value = values[0];
      const app = await startSmallApp({
        responseChecks,
        handlers: { 'look-around-v1': async () => bodies.of(current) },
      });
      for (const _ of ['first', 'again', 'once more'])
        for (const value of values) {
          current = value;
          const { text, headers } = await app.call('GET', LOOK);
          const expected = JSON.stringify(view(value));
          assert.equal(text, expected);
          assert.equal(headers['content-length'], String(Buffer.byteLength(expected)));
        }
      assert.equal(rendered, 3);
      assert.deepEqual(
        values.map((value) => cachedTextOf(bodies.of(value))?.length ?? null),
        [...values.slice(0, 2).map((value) => JSON.stringify(view(value)).length), null],
      );
      await app.close();
    });

  it('when an equal value follows, then it has a body of its own', () => {
    const bodies = cachedBodies();
    const [one, other] = [valueOf(1), valueOf(1)];
    assert.notEqual(bodies.of(one), bodies.of(other));
    assert.equal(bodies.of(one), bodies.of(one));
    assert.equal(rendered, 2);
  });

  it('when code changes a cached body, then it fails', () => {
    const body = cachedBodies().of(valueOf(1));
    assert.throws(() => body.input.names.push({ name: 'b' }), TypeError);
    assert.throws(() => Object.assign(body.input.names[0] as object, { name: 'b' }), TypeError);
    assert.throws(() => Object.assign(body, { more: 1 }), TypeError);
  });
});
