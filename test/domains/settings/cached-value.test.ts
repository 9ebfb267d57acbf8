import assert from 'node:assert/strict';
import { CachedValue } from '../../../src/domains/settings/index.ts';

describe('settings snapshot', () => {
  let time: number;
  let loads: number;
  let load: () => Promise<number>;
  let snapshot: CachedValue<number>;

  const settled = () => new Promise((resolve) => setImmediate(resolve));

  beforeEach(() => {
    time = 1000;
    loads = 0;
    load = async () => loads;
    snapshot = new CachedValue(() => (loads++, load()), { now: () => time }, 100);
  });

  it('when many ask, then it loads once for all, and again when it is too old', async () => {
    assert.deepEqual(await Promise.all([snapshot.get(), snapshot.get()]), [1, 1]);
    time += 99;
    assert.equal(await snapshot.get(), 1);
    time += 1;
    assert.equal(await snapshot.get(), 2);
  });

  it('when it is too old, then the last value is given without waiting, and it loads meanwhile', async () => {
    assert.equal(snapshot.peek(), null);
    await settled();
    assert.equal(snapshot.peek(), 1);
    time += 100;
    assert.equal(snapshot.peek(), 1);
    await settled();
    assert.equal(snapshot.peek(), 2);
    assert.equal(loads, 2);
  });

  it('when something changes during a load, then what was read before is not kept', async () => {
    let release = (_value: number): void => undefined;
    load = () => new Promise((resolve) => (release = resolve));
    const before = snapshot.get();
    snapshot.invalidate();
    load = async () => 77;
    assert.equal(await snapshot.get(), 77);
    release(11);
    assert.equal(await before, 11);
    assert.equal(await snapshot.get(), 77);
  });

  it('when loading fails, then the last value is kept, and it tries once per age', async () => {
    await snapshot.get();
    load = () => Promise.reject(new Error('away'));
    time += 100;
    assert.equal(snapshot.peek(), 1);
    await settled();
    assert.equal(snapshot.peek(), 1);
    await settled();
    assert.equal(loads, 2);
    time += 100;
    snapshot.peek();
    await settled();
    assert.equal(loads, 3);
    await assert.rejects(snapshot.get(), /away/);
  });
});
