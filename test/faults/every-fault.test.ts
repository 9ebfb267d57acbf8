import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FAULT_CASES, type FaultCase, type ExpectedError } from './fault-cases.ts';
import { abilities, changingPaths, AbilityBench, type Ability, type AbilityResponse } from './ability-bench.ts';

// Runs on SQLite only: the test is about the calls to a site.

/** Deadline for faults that time out, in milliseconds. The others respond at once and get time for a busy machine. */
const SHORT = 1_500;
const LONG = 30_000;

interface ResponseWithCalls extends AbilityResponse {
  index: number;
  changing: Record<string, string[]>;
  asked: number;
}

/**
 * Each request can take a whole deadline: the call, and at both addresses three checks of the outcome and the sync
 * after them. An update run also requests the home page and admin-ajax.php before and after, and once more if one of
 * them is broken.
 */
const MOST_CALLS = { call: 9, update: 15 };

describe('every fault of a site with every ability', () => {
  const elsewhere = { requests: [] as string[], url: '', server: null as Server | null };

  before(async () => {
    elsewhere.server = createServer((request, response) => {
      elsewhere.requests.push(request.method ?? '');
      response.end('somebody else');
    }).listen(0, '127.0.0.1');
    await once(elsewhere.server, 'listening');
    elsewhere.url = `http://127.0.0.1:${(elsewhere.server.address() as AddressInfo).port}/`;
  });
  after(() => elsewhere.server?.close());

  for (const slow of [false, true]) {
    const deadline = slow ? SHORT : LONG;
    const faults = FAULT_CASES.filter((each) => (each.isTimeout === true) === slow);

    describe(slow ? 'faults that time out' : 'faults without a timeout', () => {
      let rig: AbilityBench;
      before(async () => {
        rig = await AbilityBench.start({
          sites: faults.length * (1 + abilities.filter(needsOwnSite).length),
          // The log has room for more requests than allowed, so that excess requests are noticed.
          fleet: { requestLog: 8 * MOST_CALLS.update },
          overrides: { deadlines: { connectMs: deadline, readMs: deadline, updateMs: deadline, checkMs: deadline } },
        });
      });
      after(() => rig.close());

      for (const fault of faults)
        describe(fault.name, () => {
          const seen = new Map<string, ResponseWithCalls>();
          before(async () => {
            elsewhere.requests.length = 0;
            const shared = await rig.freshSite();
            const indexes = new Map<string, number>();
            for (const ability of abilities)
              indexes.set(ability.name, needsOwnSite(ability) ? await rig.freshSite(ability.kind !== 'add') : shared);
            const meet = async (ability: Ability): Promise<void> => {
              const index = indexes.get(ability.name) ?? -1;
              const site = rig.world.site(index);
              // A sync stores that the child plugin is too old.
              if (
                fault.name === 'old child plugin' &&
                /^(call|update)$/.test(ability.kind) &&
                !/^reconnect/.test(ability.name)
              )
                await rig.run({ name: 'sync-sites-v1' }, { site_ids_or_domains: [rig.world.siteId(index)] });
              const from = site.requests.length;
              const outcome = await rig.call(ability, index);
              const asked = site.requests.length - from;
              seen.set(ability.name, { ...outcome, index, asked, changing: changingPaths(site, from) });
            };
            for (const index of new Set(indexes.values())) fault.apply(rig.world.site(index), elsewhere.url);
            const inTurn = async (): Promise<void> => {
              for (const ability of sharing) await meet(ability);
            };
            await Promise.all([inTurn(), ...abilities.filter(needsOwnSite).map(meet)]);
          });

          for (const ability of abilities)
            it(`when ${ability.name} is called, then it ${wordsFor(ability, fault)}`, () => {
              const outcome = seen.get(ability.name);
              assert.ok(outcome, 'it did not answer');
              checkResult(ability, fault, outcome);
              const most = ability.kind === 'update' ? MOST_CALLS.update : MOST_CALLS.call;
              assert.ok(outcome.asked <= most, `${outcome.asked} calls left for the site`);
              for (const [name, paths] of Object.entries(outcome.changing)) {
                assert.equal(new Set(paths).size, paths.length, `${name} was sent to ${paths.join()}`);
                assert.ok(paths.length === 1 || fault.isBeforeWordPress, `${name} was sent ${paths.length} times`);
              }
            });

          it('when all abilities were called, then only visits of the home page followed a redirect to another host', () => {
            const { requests } = elsewhere;
            assert.deepEqual(
              requests.filter((method) => method !== 'HEAD' && method !== 'GET'),
              [],
            );
            // An update run repeats a rejected HEAD with GET.
            const only = requests.filter((method) => method === 'HEAD').length - requests.filter(isGet).length;
            const checks = abilities.filter(({ kind }) => kind === 'check').length;
            assert.equal(only, fault.name.startsWith('redirect') ? checks : 0);
          });
        });

      it('when all abilities were called, then no internal error is logged', () => {
        assert.deepEqual(
          rig.world.logLines.filter((line) => /"level":"(error|fatal)"/.test(line)),
          [],
        );
      });
    });
  }
});

const isGet = (method: string): boolean => method === 'GET';

/** True if the ability calls the child plugin, so that it can change the site for the next ability. */
function needsOwnSite({ kind }: Ability): boolean {
  return kind !== 'local' && kind !== 'check';
}

/** Abilities that run on one site in sequence. Those that end its connection come last. */
const sharing = abilities
  .filter((each) => !needsOwnSite(each))
  .sort((one, other) => Number(endsConnection(one)) - Number(endsConnection(other)));

function endsConnection({ name }: Ability): boolean {
  return name.startsWith('disconnect-');
}

/** Returns the expected error of an ability that calls the child plugin, or null if it succeeds. */
function expectedErrorOf({ name, kind }: Ability, { call, add, reconnect }: FaultCase): ExpectedError {
  if (kind === 'add') return add === undefined ? call : add;
  if (/^reconnect-sites?-/.test(name)) return reconnect === undefined ? call : reconnect;
  return call;
}

/** True if the ability changes the site. Reconnects and syncs can be repeated, so they do not count. */
function isAction({ name, kind }: Ability): boolean {
  return kind === 'call' && !/^(reconnect|sync)-/.test(name);
}

function wordsFor(ability: Ability, fault: FaultCase): string {
  if (ability.kind === 'check') return `reports HTTP status ${fault.check}`;
  if (ability.kind === 'local') return 'calls no site';
  const told = expectedErrorOf(ability, fault);
  if (fault.isOutcomeUnknown === true && isAction(ability)) return 'reports an unknown outcome';
  if (ability.kind === 'told')
    return fault.canBeNotified ? 'notifies the child' : 'succeeds without notifying the child';
  return told ? `returns ${[told.status, told.code, told.layer, told.reason].filter(Boolean).join(' ')}` : 'succeeds';
}

function checkResult(ability: Ability, fault: FaultCase, { status, body, asked }: ResponseWithCalls): void {
  const text = JSON.stringify(body);
  const told = expectedErrorOf(ability, fault);
  switch (ability.kind) {
    case 'local':
      assert.equal(asked, 0, `${asked} calls left for the site`);
      return;
    case 'check': {
      assert.equal(status, 200, text);
      const found = body.results?.[0] ?? body;
      assert.equal(found.reachable, fault.check !== 0 && fault.check < 500, text);
      assert.equal((body.results ? undefined : found.http_status) ?? fault.check, fault.check, text);
      return;
    }
    case 'told':
      assert.equal(status, 200, text);
      assert.deepEqual([body.deleted, body.child_notified], [true, fault.canBeNotified === true], text);
      return;
    case 'batch':
      assert.equal(status, 200, text);
      assert.deepEqual(
        body.errors.map((error: { code: string }) => error.code),
        told ? [told.code] : [],
        text,
      );
      return;
    case 'update': {
      // Without items, the call fails as any call does. With items, each has what is known of it.
      const codes = status === 200 ? (body.errors ?? []).map(({ code }: { code: string }) => code) : [body.code];
      // No further update is sent while the core update may still run.
      const heldBack = fault.isOutcomeUnknown === true ? ['svc_update_failed'] : [];
      const possible = told ? [told.code, 'svc_outcome_unknown', ...heldBack] : [];
      assert.deepEqual(
        codes.filter((code: string) => !possible.includes(code)),
        [],
        text,
      );
      assert.equal(codes.length > 0, told !== null, text);
      assert.ok(status === 200 || status === told?.status || body.code === 'svc_outcome_unknown', text);
      if (told) assert.ok(isNothing(body.updated), text);
      return;
    }
    case 'call':
    case 'add':
      if (told === null) {
        assert.equal(status, 200, text);
        assert.deepEqual(body.errors ?? [], [], text);
        return;
      }
      if (fault.isOutcomeUnknown === true && isAction(ability)) {
        const code = status === 200 ? body.errors[0]?.code : body.code;
        assert.deepEqual([status === 200 || status === 502, code], [true, 'svc_outcome_unknown'], text);
        return;
      }
      assert.deepEqual(
        { status, code: body.code, layer: body.data?.layer, reason: body.data?.reason },
        { layer: undefined, reason: undefined, ...told },
        text,
      );
  }
}

/** True if no update is reported. The value is a list, a flag or counts by kind. */
function isNothing(updated: unknown): boolean {
  if (Array.isArray(updated)) return updated.length === 0;
  return typeof updated === 'object' && updated !== null
    ? Object.values(updated).every((count) => count === 0)
    : !updated;
}
