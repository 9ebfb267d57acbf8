import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createAddressGuard } from '../../src/outbound/address-guard.ts';
import { createResolver, type ResolvedAddress } from '../../src/outbound/resolver.ts';

const ADDRESS: ResolvedAddress = { address: '93.184.216.34', family: 4 };

describe('lookups of host names', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  it('when name servers do not answer, then another name waits without losing its time', async () => {
    const asked: string[] = [];
    const ends = new Map<string, () => void>();
    const lookup = (host: string): Promise<ResolvedAddress[]> => {
      asked.push(host);
      return new Promise((resolve) => ends.set(host, () => resolve([ADDRESS])));
    };
    const resolver = createResolver(createAddressGuard([]), lookup, () => 0);
    const dead = ['one.example', 'two.example'].map((host) => resolver.resolve(host));
    const alive = resolver.resolve('alive.example');
    const failures = dead.map((each) => assert.rejects(each, /could not be resolved/));
    await nextTurn();
    mock.timers.tick(10_000);
    await Promise.all(failures);
    await nextTurn();
    assert.deepEqual(asked, ['one.example', 'two.example'], 'their threads are still busy');
    ends.get('one.example')?.();
    await nextTurn();
    assert.deepEqual(asked, ['one.example', 'two.example', 'alive.example']);
    ends.get('alive.example')?.();
    assert.deepEqual(await alive, [ADDRESS]);
  });

  it('when the name servers of one domain do not answer, then names of other domains are looked up', async () => {
    const asked: string[] = [];
    const ends = new Map<string, () => void>();
    const lookup = (host: string): Promise<ResolvedAddress[]> => {
      asked.push(host);
      return host.endsWith('.alive.example')
        ? Promise.resolve([ADDRESS])
        : new Promise((resolve) => ends.set(host, () => resolve([ADDRESS])));
    };
    const resolver = createResolver(createAddressGuard([]), lookup, () => 0);
    const dead = ['one', 'two', 'three'].map((name) => resolver.resolve(`${name}.dead.example`));
    const alive = ['one', 'two', 'three'].map((name) => resolver.resolve(`${name}.alive.example`));
    assert.deepEqual(await Promise.all(alive), [[ADDRESS], [ADDRESS], [ADDRESS]]);
    assert.deepEqual(asked, ['one.dead.example', 'one.alive.example', 'two.alive.example', 'three.alive.example']);
    for (const name of ['one', 'two', 'three']) {
      ends.get(`${name}.dead.example`)?.();
      await nextTurn();
    }
    assert.deepEqual(await Promise.all(dead), [[ADDRESS], [ADDRESS], [ADDRESS]]);
  });

  it('when one name of a domain is not answered, then its names that were fast are looked up, until one is slow', async () => {
    let time = 0;
    const asked: string[] = [];
    const ends = new Map<string, () => void>();
    const lookup = (host: string): Promise<ResolvedAddress[]> => {
      asked.push(host);
      return host.startsWith('dead')
        ? new Promise((resolve) => ends.set(host, () => resolve([ADDRESS])))
        : Promise.resolve([ADDRESS]);
    };
    const resolver = createResolver(createAddressGuard([]), lookup, () => time);
    const resolve = (name: string) => resolver.resolve(`${name}.agency.example`, { fresh: true });
    await resolve('one');
    const dead = resolve('dead');
    await resolve('one');
    const unknown = resolve('two');
    await nextTurn();
    assert.deepEqual(
      asked.splice(0),
      ['one', 'dead', 'one'].map((name) => `${name}.agency.example`),
    );
    time = 1_001;
    ends.get('dead.agency.example')?.();
    await Promise.all([dead, unknown]);
    const again = resolve('dead');
    const later = resolve('one');
    await nextTurn();
    assert.deepEqual(
      asked.splice(0),
      ['two', 'dead'].map((name) => `${name}.agency.example`),
    );
    ends.get('dead.agency.example')?.();
    await Promise.all([again, later]);
  });

  it('when the addresses of a name are known, then no lookup is needed for 30 seconds', async () => {
    let time = 0;
    let address = ADDRESS;
    const resolver = createResolver(
      createAddressGuard([]),
      async () => [address],
      () => time,
    );
    assert.equal(resolver.known('one.example'), null);
    const lookup = resolver.resolve('one.example');
    assert.equal(resolver.known('one.example'), null, 'the lookup runs');
    await lookup;
    time = 29_999;
    assert.deepEqual(resolver.known('one.example'), [ADDRESS]);
    time = 30_000;
    assert.equal(resolver.known('one.example'), null);
    address = { address: '93.184.216.35', family: 4 };
    await resolver.resolve('one.example');
    assert.deepEqual(resolver.known('one.example'), [address]);
  });

  it('when a lookup fails or its address is refused, then no address is known', async () => {
    const lookup = async (host: string): Promise<ResolvedAddress[]> => {
      if (host === 'gone.example') throw new Error('ENOTFOUND');
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const resolver = createResolver(createAddressGuard([]), lookup, () => 0);
    await assert.rejects(resolver.resolve('gone.example'), /could not be resolved/);
    assert.equal(resolver.known('gone.example'), null);
    await assert.rejects(resolver.resolve('own.example'), /must not call/);
    assert.throws(() => resolver.known('own.example'), /must not call/);
    assert.throws(() => resolver.known('127.0.0.1'), /must not call/);
    assert.deepEqual(resolver.known('[2606:2800:220:1::1]'), [{ address: '2606:2800:220:1::1', family: 6 }]);
  });
});
