import assert from 'node:assert/strict';
import { createDemoKeyPairs } from '../../src/demo/key-pairs.ts';

describe('key pairs of the demo', () => {
  it('when sharing has ended, then each site gets a pair of its own', async () => {
    const { source, endSharing } = createDemoKeyPairs();
    const idOfNext = async (): Promise<string> => (await source.next()).keyId;
    const first = await idOfNext();
    assert.equal(await idOfNext(), first);
    endSharing();
    const later = [await idOfNext(), await idOfNext()];
    assert.equal(new Set([first, ...later]).size, 3);
  });
});
