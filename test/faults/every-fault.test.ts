import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FAULT_CASES, type FaultCase, type ExpectedError } from './fault-cases.ts';
import { abilities, changingPaths, AbilityBench, type Ability, type AbilityResponse } from './ability-bench.ts';

// Runs on SQLite only: the test is about the calls to a site.

/** What is waited for a site that hangs; the others answer at once and are given time for a busy machine. */
const SHORT = 1_500;
const LONG = 30_000;

interface ResponseWithCalls extends AbilityResponse {
  index: number;
  changing: Record<string, string[]>;
  asked: number;
}

const MOST_CALLS = 9;

describe('every fault of a site, met by every ability', () => {
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

    describe(slow ? 'at the deadline' : 'at once', () => {
      let rig: AbilityBench;
      before(async () => {
        rig = await AbilityBench.start({
          sites: faults.length * (1 + abilities.filter(needsOwnSite).length),
          // Room for more than an ability may ask, so that too much is seen.
          fleet: { requestLog: 8 * MOST_CALLS },
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
              // A child that is too old is known to be so from the last sync.
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
            it(`when ${ability.name} meets it, then it ${wordsFor(ability, fault)}`, () => {
              const outcome = seen.get(ability.name);
              assert.ok(outcome, 'it did not answer');
              checkResult(ability, fault, outcome);
              // Each costs a deadline at most: the call, and at both addresses three looks whether it was done and the
              // sync that ends it.
              assert.ok(outcome.asked <= MOST_CALLS, `${outcome.asked} calls left for the site`);
              for (const [name, paths] of Object.entries(outcome.changing)) {
                assert.equal(new Set(paths).size, paths.length, `${name} was sent to ${paths.join()}`);
                assert.ok(paths.length === 1 || fault.isBeforeWordPress, `${name} was sent ${paths.length} times`);
              }
            });

          it('when it was met, then no call was sent on to another host', () => {
            assert.deepEqual(
              elsewhere.requests.filter((method) => method !== 'HEAD'),
              [],
            );
            const checks = abilities.filter(({ kind }) => kind === 'check').length;
            assert.equal(elsewhere.requests.length, fault.name.startsWith('redirect') ? checks : 0);
          });
        });

      it('when all were met, then no fault of ours is logged', () => {
        assert.deepEqual(
          rig.world.logLines.filter((line) => /"level":"(error|fatal)"/.test(line)),
          [],
        );
      });
    });
  }
});

/** Where the child is not called, nothing that the next ability meets is changed on the site. */
function needsOwnSite({ kind }: Ability): boolean {
  return kind !== 'local' && kind !== 'check';
}

/** The abilities that meet the fault on one site, one after the other; at last those that end its connection. */
const sharing = abilities
  .filter((each) => !needsOwnSite(each))
  .sort((one, other) => Number(endsConnection(one)) - Number(endsConnection(other)));

function endsConnection({ name }: Ability): boolean {
  return name.startsWith('disconnect-');
}

/** What this ability is to answer under this fault, where it calls the child. */
function expectedErrorOf({ name, kind }: Ability, { call, add, reconnect }: FaultCase): ExpectedError {
  if (kind === 'add') return add === undefined ? call : add;
  if (/^reconnect-sites?-/.test(name)) return reconnect === undefined ? call : reconnect;
  return call;
}

/** A change on the site; to connect anew may be done any number of times. */
function isAction({ name, kind }: Ability): boolean {
  return kind === 'call' && !/^(reconnect|sync)-/.test(name);
}

function wordsFor(ability: Ability, fault: FaultCase): string {
  if (ability.kind === 'check') return `finds HTTP status ${fault.check}`;
  if (ability.kind === 'local') return 'calls no site';
  const told = expectedErrorOf(ability, fault);
  if (fault.isOutcomeUnknown === true && isAction(ability)) return 'does not know what came of it';
  if (ability.kind === 'told') return fault.canBeNotified ? 'tells it' : 'goes on without telling it';
  return told ? `answers ${[told.status, told.code, told.layer, told.reason].filter(Boolean).join(' ')}` : 'works';
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
      // Without items of its own it refuses as any call does; else each item tells what is known of it.
      const codes = status === 200 ? (body.errors ?? []).map(({ code }: { code: string }) => code) : [body.code];
      // Nothing else is sent while the core may still be at work.
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

/** Said as a list, a flag, or a count of each kind. */
function isNothing(updated: unknown): boolean {
  if (Array.isArray(updated)) return updated.length === 0;
  return typeof updated === 'object' && updated !== null
    ? Object.values(updated).every((count) => count === 0)
    : !updated;
}
