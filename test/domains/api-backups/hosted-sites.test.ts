import assert from 'node:assert/strict';
import { HostedSites } from '../../../src/domains/api-backups/hosted-sites.ts';

describe('sites on the servers of a provider', () => {
  it('when there are many servers, then the URL of each site is read once', async () => {
    let reads = 0;
    const sites = Array.from({ length: 300 }, (_, id) => ({
      id,
      get url() {
        reads++;
        return `https://www.site${id}.example/blog/`;
      },
    }));
    const hosted = await HostedSites.from(sites, new Map(sites.map(({ id }) => [id, id < 200 ? `10.0.0.${id}` : ''])));
    for (let server = 0; server < 200; server++)
      assert.deepEqual(
        [...hosted.on({ addresses: ['', `10.0.0.${server}`], hosts: ['', 'none.example', `Site${server}.example`] })],
        [server],
      );
    assert.deepEqual([...hosted.on({ addresses: ['10.0.0.1'], hosts: ['www.site250.example'] })], [1, 250]);
    assert.equal(reads, sites.length);
  });
});
