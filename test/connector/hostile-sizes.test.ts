import assert from 'node:assert/strict';
import { LIST_RESPONSE_LIMITS, STATE_RESPONSE_LIMITS } from '../../src/connector/json-limit-checker.ts';
import { readFrame } from '../../src/connector/response-frame.ts';
import { ChildBadAnswerError } from '../../src/shared/child-call-errors.ts';
import { toFrame } from '../support/frames.ts';
import { thrownBy } from './support.ts';
import { STATS_REQUEST, STATS, ConnectorBench } from './connector-bench.ts';

const MB = 1024 * 1024;
const framed = (json: string): string => `<mainwp>${Buffer.from(json).toString('base64')}</mainwp>`;
const names = (count: number): string => Array.from({ length: count }, (_, index) => `"name${index}":1`).join(',');

describe('responses that are too large', () => {
  const rig = new ConnectorBench().install();

  const shapes: [string, () => string, RegExp][] = [
    ['24 MB of {}', () => framed(`[${'{},'.repeat(8 * MB)}{}]`), /too large/],
    ['900,000 times {}', () => framed(`[${'{},'.repeat(900_000)}{}]`), /too many values/],
    ['a million numbers', () => framed(`[${'1,'.repeat(MB)}1]`), /too many values/],
    ['deeply nested lists', () => framed('['.repeat(2 * MB)), /nested too deeply/],
    ['50,000 different names', () => framed(`{${names(50_000)}}`), /too many different objects/],
    ['the same names in different orders', () => framed(objectsOfDifferentShapes()), /too many different objects/],
  ];
  for (const [name, body, problem] of shapes)
    it(`when a response has ${name}, then it is rejected`, async () => {
      const text = body();
      rig.respond = (_seen, response) => response.end(text);
      const error = await thrownBy(() => rig.child.stats(rig.link(), STATS_REQUEST));
      assert.ok(error instanceof ChildBadAnswerError, String(error));
      assert.match(error.message, problem);
    });

  it('when a large response is parsed, then other work continues', async () => {
    const body = Buffer.from(framed(JSON.stringify({ text: 'x'.repeat(12 * MB) })));
    let turns = 0;
    const count = setInterval(() => (turns += 1), 0);
    const read = await readFrame(body, { maxValues: LIST_RESPONSE_LIMITS.values });
    clearInterval(count);
    assert.equal(read.kind, 'value');
    assert.ok(turns > 5, `${turns} turns of others`);
  });

  it('when a site has 500 plugins or 10,000 users, then its response is accepted', async () => {
    const entry = (index: number, more = {}) => ({
      ...{ id: index, slug: `plugin-${index}/plugin-${index}.php`, name: `Plugin ${index}`, version: '1.0', active: 1 },
      ...more,
    });
    const many = <T>(count: number, of: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => of(i));
    const update = (index: number) => [`plugin-${index}/plugin-${index}.php`, entry(index, { update: entry(index) })];
    const log = (index: number) => [String(index), entry(index, { meta: entry(index), extra: entry(index) })];
    const state = {
      ...(STATS as object),
      plugins: many(500, entry),
      themes: many(200, entry),
      plugin_updates: Object.fromEntries(many(300, update)),
      changes_logs_data: Object.fromEntries(many(1_000, log)),
    };
    rig.respond = (_seen, response) => response.end(toFrame(state));
    assert.equal((await rig.child.stats(rig.link(), STATS_REQUEST)).plugins?.length, 500);
    const user = (id: number) => ({ id, login: `u${id}`, email: `u${id}@x.test`, display_name: 'U', role: 'customer' });
    rig.respond = (_seen, response) => response.end(toFrame(many(10_000, (index) => user(index + 1))));
    assert.equal((await rig.child.searchUsers(rig.link(), { search: '', columns: ['user_login'] })).length, 10_000);
    assert.ok(STATE_RESPONSE_LIMITS.bytes < LIST_RESPONSE_LIMITS.bytes);
  });
});

/** Returns objects with the same 64 names that start with different pairs of them. */
function objectsOfDifferentShapes(): string {
  const object = (first: number): string =>
    [first % 64, Math.floor(first / 64) + 64, ...Array.from({ length: 30 }, (_, index) => index)]
      .map((name) => `"n${name}":1`)
      .join(',');
  return `[${Array.from({ length: 2_000 }, (_, first) => `{${object(first)}}`).join(',')}]`;
}
