import assert from 'node:assert/strict';
import type { FaultSpec } from '../../src/sandbox/index.ts';
import { toFrame } from '../support/frames.ts';
import { abilities, changingCalls, AbilityBench, type Ability } from './ability-bench.ts';

// Runs on SQLite only: the test is about the calls to a site.

/** Faults after the work was done: the response is lost or damaged. */
const DONE: FaultSpec[] = [
  { kind: 'fatal', when: 'after' },
  { kind: 'cut' },
  { kind: 'cut', bytes: 0 },
  { kind: 'invalid-base64' },
  { kind: 'invalid-json' },
  { kind: 'scalar', value: null },
  { kind: 'forged', answer: {} },
  { kind: 'forged', answer: { status: 'SUCCESS', sync: [] } },
  { kind: 'huge', bytes: 40 * 1024 * 1024 },
  { kind: 'gzip' },
];
/** Faults that prevent the work, even if the response reports success. */
const NOT_DONE: FaultSpec[] = [
  { kind: 'fatal', when: 'before' },
  { kind: 'refuse' },
  { kind: 'hang' },
  { kind: 'raw', status: 200, body: toFrame({ status: 'SUCCESS', sync: [], other_data: [] }) },
  { kind: 'raw', status: 200, body: '<html>a page</html>' },
];

/** Replaces the values that differ between sites. */
function comparableResult(body: unknown, id: number, url: string): unknown {
  return JSON.parse(JSON.stringify(body).replaceAll(url, 'URL').replaceAll(`"site_id":${id}`, '"site_id":0'));
}

describe('results after a lost response', () => {
  const changing = abilities.filter(({ kind, name }) => kind === 'call' && !/^reconnect/.test(name));
  let rig: AbilityBench;
  before(async () => {
    rig = await AbilityBench.start({
      sites: changing.length * (2 + DONE.length + NOT_DONE.length) + 40,
      overrides: { deadlines: { connectMs: 2_000, readMs: 2_000, updateMs: 2_000 } },
    });
  });
  after(() => rig.close());

  async function act(ability: Ability, trouble: FaultSpec | null, name = '') {
    const index = await rig.freshSite();
    const site = rig.world.site(index);
    const from = site.requests.length;
    site.fault = trouble && { ...trouble, function: name };
    const { status, body } = await rig.call(ability, index);
    site.fault = null;
    const told = comparableResult(body, rig.world.siteId(index), site.url);
    return { status, body, told, calls: changingCalls(site, from), index };
  }

  for (const ability of changing)
    describe(ability.name, () => {
      let sound: Awaited<ReturnType<typeof act>>;
      let name = '';
      before(async () => {
        sound = await act(ability, null);
        name = Object.keys(sound.calls)[0] ?? '';
      });

      it('when the site has no fault, then one changing function is called once', () => {
        assert.equal(sound.status, 200, JSON.stringify(sound.body));
        assert.deepEqual(Object.values(sound.calls), [1], JSON.stringify(sound.calls));
      });

      it('when the work is done but its response is lost, then the result is the same as without a fault', async () => {
        for (const trouble of DONE) {
          const { status, told, calls } = await act(ability, trouble, name);
          assert.equal(status, 200, `${JSON.stringify(trouble)}: ${JSON.stringify(told)}`);
          assert.deepEqual(told, sound.told, JSON.stringify(trouble));
          assert.deepEqual(calls, sound.calls, JSON.stringify(trouble));
        }
      });

      it('when the work was not done, then the call or its item fails', async () => {
        await Promise.all(
          NOT_DONE.map(async (trouble) => {
            const { status, body, told, calls } = await act(ability, trouble, name);
            const text = `${JSON.stringify(trouble)}: ${JSON.stringify(body)}`;
            assert.notDeepEqual(told, sound.told, text);
            // After a broken connection, the site may still be at work.
            const isOpen = trouble.kind === 'refuse' || trouble.kind === 'hang';
            if (status === 200) {
              assert.equal(body.errors.length, 1, text);
              assert.match(body.errors[0].code, isOpen ? /_unknown$/ : /_failed$/, text);
            } else assert.deepEqual([status, body.code === 'svc_outcome_unknown'], [502, isOpen], text);
            assert.deepEqual(calls, sound.calls, text);
          }),
        );
      });
    });

  describe('registrations', () => {
    const reconnect = { name: 'reconnect-site-v1' };
    const sync = { name: 'sync-sites-v1' };

    it('when the child stored the new key, then the key is kept after any response', async () => {
      for (const trouble of DONE) {
        const index = await rig.freshSite();
        const site = rig.world.site(index);
        const id = rig.world.siteId(index);
        site.fault = { ...trouble, function: 'register' };
        const { status, body } = await rig.run(reconnect, { site_id_or_domain: id });
        site.fault = null;
        assert.equal(status, 200, `${JSON.stringify(trouble)}: ${JSON.stringify(body)}`);
        const { body: synced } = await rig.run(sync, { site_ids_or_domains: [id] });
        assert.equal(synced.total_synced, 1, JSON.stringify(trouble));
      }
    });

    it('when the child did not store the new key, then the old key is kept after any response', async () => {
      const lies: FaultSpec[] = [...NOT_DONE, ...[null, true, {}, [], { data: {} }].map(answerFault)];
      for (const trouble of lies) {
        const index = await rig.freshSite();
        const site = rig.world.site(index);
        const id = rig.world.siteId(index);
        const before = site.state.connection.publicKey;
        // The fault affects every call, including the one that verifies the key.
        site.fault = trouble;
        const { status, body } = await rig.run(reconnect, { site_id_or_domain: id });
        site.fault = null;
        assert.ok(status === 502 || status === 503, `${JSON.stringify(trouble)}: ${status} ${JSON.stringify(body)}`);
        assert.equal(site.state.connection.publicKey, before);
        const { body: synced } = await rig.run(sync, { site_ids_or_domains: [id] });
        assert.equal(synced.total_synced, 1, `${JSON.stringify(trouble)}: ${JSON.stringify(synced)}`);
      }
    });

    it('when the response is lost, then the site is added only if the child stored the key', async () => {
      const add = abilities.find(({ kind }) => kind === 'add') as Ability;
      for (const [trouble, expected] of [...DONE.map((each) => [each, 200] as const), [NOT_DONE[0], 502] as const]) {
        const index = await rig.freshSite(false);
        const site = rig.world.site(index);
        site.fault = { ...(trouble as FaultSpec), function: 'register' };
        const { status, body } = await rig.call(add, index);
        assert.equal(status, expected, `${JSON.stringify(trouble)}: ${JSON.stringify(body)}`);
        const { body: found } = await rig.run({ name: 'get-site-v1' }, { site_id_or_domain: site.url });
        assert.equal(found.code, expected === 200 ? undefined : 'svc_site_not_found');
      }
    });
  });
});

function answerFault(answer: unknown): FaultSpec {
  return { kind: 'raw', status: 200, body: toFrame(answer) };
}
