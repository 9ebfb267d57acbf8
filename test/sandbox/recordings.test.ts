import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { startFleet, type Fleet, type SimulatedSite } from '../../src/sandbox/index.ts';
import { pluginForPackage, themeForPackage } from '../../src/sandbox/state/catalogue.ts';
import { RECORDING_CASES } from './support/recording-cases.ts';
import { connectedState } from './support/dashboard.ts';
import { shapeDifferences, shapeOf } from './support/shape.ts';

/** Responses of a real child (recordings/answers.jsonl, one case per line). The sandbox must send the same shapes. */
const RECORDED = new Map(
  readFileSync(new URL('recordings/answers.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { case: string; answer: unknown })
    .map((item) => [item.case, item.answer]),
);

/** Gives a site the plugins and themes of the recorded site. */
function prepareSite(site: SimulatedSite): void {
  const { state } = site;
  for (const letter of ['a', 'b', 'c']) {
    const definition = pluginForPackage(`dummy-${letter}`, '1.0.0');
    const active = letter !== 'c';
    state.plugins.set(definition.file, {
      definition,
      version: '1.0.0',
      active,
      update: active ? '1.1.0' : null,
      mu: false,
    });
  }
  const definition = themeForPackage('rig-theme', '1.0.0');
  state.themes.set('rig-theme', { definition, version: '1.0.0', update: '1.1.0' });
  state.abandoned = { days: 365, pluginsChecked: true, themesChecked: true };
}

/** A recording without a frame has status and body. */
function isPage(answer: unknown): answer is { status: number; body: string } {
  return typeof answer === 'object' && answer !== null && 'body' in answer && 'status' in answer;
}

describe('response shapes of the sandbox and a real child', () => {
  let fleet: Fleet;
  const names = Object.keys(RECORDING_CASES);

  before(async () => {
    fleet = await startFleet({
      sites: names.length,
      seed: 7,
      primedKeys: (index) => (RECORDING_CASES[names[index] ?? '']?.fresh ? undefined : connectedState()),
    });
  });
  after(() => fleet.close());

  it('when a case was recorded, then it has a request, and each request has a recording', () => {
    assert.deepEqual([...RECORDED.keys()].sort(), [...names].sort());
  });

  for (const [index, name] of names.entries()) {
    it(`when ${name} is sent, then the response has the recorded shape`, async () => {
      const site = fleet.sites[index];
      const made = RECORDING_CASES[name];
      assert.ok(site !== undefined && made !== undefined);
      prepareSite(site);
      await made.prepare?.(site);
      const answer = await made.request(site);
      const recorded = RECORDED.get(name);
      if (isPage(recorded)) {
        assert.equal(answer.json, undefined);
        assert.equal(answer.status, recorded.status);
        assert.equal(answer.body.slice(-20), recorded.body.slice(-20));
        return;
      }
      assert.equal(answer.status, 200);
      const { json } = answer as { json: Record<string, unknown> | null };
      assert.deepEqual(shapeDifferences(shapeOf(recorded), shapeOf(json)), []);
      const errors = recorded as Record<string, unknown> | null;
      if (typeof errors?.['error'] === 'string') {
        assert.equal(json?.['error_code'], errors['error_code']);
        assert.equal(json?.['error'], errors['error']);
      }
    });
  }

  it('when a key is missing, added or has another type, then the difference is reported', () => {
    const recorded = shapeOf({ a: 1, b: [{ c: '1' }], plugin_updates: { 'x/x.php': { v: '1' } } });
    assert.deepEqual(shapeDifferences(recorded, shapeOf({ a: 1, b: [{ c: '2' }], plugin_updates: [] })), []);
    assert.deepEqual(shapeDifferences(recorded, shapeOf({ a: '1', b: [{ d: '2' }], plugin_updates: [] })), [
      'lacking $.a: number',
      'lacking $.b[].c: string',
      'invented $.a: string',
      'invented $.b[].d: string',
    ]);
  });
});
