import assert from 'node:assert/strict';
import { basePathOf, sliceContract, createSliceFinder, type Contract } from '../../src/contract/index.ts';
import { readContract } from '../../src/surfaces/generated-files.ts';

/** More paths than one slice holds, so that the first and the last are in different slices. */
const filler = Array.from({ length: 20 }, (_, index) => [`/filler${index}`, {}]);
const contractOf = (...paths: string[]): Contract => {
  const [first = '', ...rest] = paths;
  return {
    servers: [{ url: '/api' }],
    components: {},
    paths: Object.fromEntries([[first, {}], ...filler, ...rest.map((path) => [path, {}])]) as Contract['paths'],
  };
};

describe('slices of a contract', () => {
  it('when a path is in the contract, then its slice is found', () => {
    for (const name of ['abilities', 'v2'] as const) {
      const contract = readContract(name);
      const slices = sliceContract(contract);
      const find = createSliceFinder(contract, slices);
      for (const path of Object.keys(contract.paths)) {
        const index = find(basePathOf(contract) + path.replace(/\{\w+\}/g, 'a.b-c%2Fd'));
        assert.ok(index !== null && path in (slices[index]?.paths ?? {}), path);
      }
    }
  });

  it('when a fixed path and a path with a parameter match, then the fixed path is preferred in any order', () => {
    for (const paths of [
      ['/posts/{site}/{post}', '/posts/{site}/create'],
      ['/posts/{site}/create', '/posts/{site}/{post}'],
    ]) {
      const contract = contractOf(...paths);
      const slices = sliceContract(contract);
      const find = createSliceFinder(contract, slices);
      const at = (path: string): string[] => Object.keys(slices[find(path) ?? -1]?.paths ?? {});
      assert.ok(at('/api/posts/1/create').includes('/posts/{site}/create'));
      assert.ok(at('/api/posts/1/2').includes('/posts/{site}/{post}'));
    }
  });

  it('when a path is not in the contract, then no slice is found', () => {
    const contract = contractOf('/posts/{site}');
    const find = createSliceFinder(contract, sliceContract(contract));
    for (const path of ['/api', '/api/posts', '/api/posts/1/2', '/other/posts/1', '/api/posts/'])
      assert.equal(find(path), null);
    assert.notEqual(find('/api/posts/1/'), null);
  });
});
