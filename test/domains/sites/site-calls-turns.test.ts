import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { ChildLinkResolver } from '../../../src/domains/sites/child-link-resolver.ts';
import { SiteCalls } from '../../../src/domains/sites/site-calls.ts';
import { systemClock } from '../../../src/shared/clock.ts';

describe('SiteCalls.run', () => {
  it('when many sites are read at once, then other callbacks run between the beginnings of their calls', async () => {
    const begun: number[] = [];
    let turn = 0;
    const links = {
      link: (siteId: number) => {
        begun.push(turn);
        return Promise.resolve({ link: {}, site: { id: siteId } });
      },
    } as unknown as ChildLinkResolver;
    const calls = new SiteCalls({ knex: null as unknown as Knex, clock: systemClock, links, changes: null as never });
    const sites = Array.from({ length: 50 }, (_, index) => index + 1);
    const read = Promise.all(
      sites.map((id) => calls.run(id, () => Promise.resolve(id), { oneOfMany: true, reads: true })),
    );
    while (begun.length < sites.length) {
      await nextTurn();
      turn++;
    }
    assert.deepEqual(await read, sites);
    assert.equal(new Set(begun).size, sites.length);
  });
});
