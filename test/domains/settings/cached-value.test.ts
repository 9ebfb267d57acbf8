import assert from 'node:assert/strict';
import { CachedValue } from '../../../src/domains/settings/index.ts';

describe('cached value', () => {
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

  it('when get is called several times, then the value is loaded once, and again after its maximum age', async () => {
    assert.deepEqual(await Promise.all([snapshot.get(), snapshot.get()]), [1, 1]);
    time += 99;
    assert.equal(await snapshot.get(), 1);
    time += 1;
    assert.equal(await snapshot.get(), 2);
  });

  it('when the clock is set back, then the value is loaded again', async () => {
    assert.equal(await snapshot.get(), 1);
    time -= 500;
    assert.equal(await snapshot.get(), 2);
    assert.equal(await snapshot.get(), 2);
    time -= 500;
    assert.equal(snapshot.peek(), 2);
    await settled();
    assert.equal(snapshot.peek(), 3);
  });

  it('when the value is too old, then peek returns the old value and a reload starts', async () => {
    assert.equal(snapshot.peek(), null);
    await settled();
    assert.equal(snapshot.peek(), 1);
    time += 100;
    assert.equal(snapshot.peek(), 1);
    await settled();
    assert.equal(snapshot.peek(), 2);
    assert.equal(loads, 2);
  });

  it('when the value is invalidated during a load, then the loaded value is not cached', async () => {
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

  it('when a reload fails, then the old value stays and the next reload waits for the maximum age', async () => {
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
