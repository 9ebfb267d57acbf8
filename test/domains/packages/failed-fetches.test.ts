import assert from 'node:assert/strict';
import { packageRefused, packageSourceFailed, releaseNotFound } from '../../../src/domains/packages/package.ts';
import { UpdatePackages, type UpdatePackagesDeps } from '../../../src/domains/packages/update-packages.ts';
import type { DomainError } from '../../../src/shared/errors.ts';

const ITEM = { type: 'plugin', slug: 'akismet/akismet.php', version: '5.3' } as const;
const CALLER = { actor: 'test', isLimited: false };

describe('failed requests for packages of updates', () => {
  let now: number;
  let requests: number;
  let fail: () => Promise<never>;
  let packages: UpdatePackages;
  beforeEach(() => {
    now = 1_000;
    requests = 0;
    const vault = {
      finder: async () => () => null,
      fetchForSites: async () => {
        requests++;
        return fail();
      },
    };
    packages = new UpdatePackages({ packages: vault, now: () => now } as unknown as UpdatePackagesDeps);
  });

  const find = async (): Promise<string> =>
    packages.find(ITEM, {} as never, CALLER).then(
      () => 'found',
      (error: DomainError) => error.code,
    );

  for (const [title, error, lifetime] of [
    ['the network fails', packageSourceFailed('x', { reason: 'connect' }), 30_000],
    ['the source does not answer', packageSourceFailed('x', { reason: 'timeout' }), 30_000],
    ['the source returns the status 503', packageSourceFailed('x', { http_status: 503 }), 30_000],
    ['the source returns the status 403', packageSourceFailed('x', { http_status: 403 }), 300_000],
    ['the source limits requests (429)', packageSourceFailed('x', { http_status: 429 }), 300_000],
    ['the source redirects endlessly', packageSourceFailed('x', { reason: 'too_many_redirects' }), 300_000],
    ['the checksums cannot be read', packageSourceFailed('x'), 300_000],
    ['the source has no such package', releaseNotFound(), 300_000],
    ['the package is refused', packageRefused('no_item', 'x'), 300_000],
  ] as const)
    it(`when ${title}, then the request is repeated after ${lifetime / 1000} seconds`, async () => {
      fail = () => Promise.reject(error);
      assert.equal(await find(), error.code);
      now += lifetime - 1;
      assert.deepEqual([await find(), requests], [error.code, 1]);
      now += 1;
      assert.deepEqual([await find(), requests], [error.code, 2]);
    });

  it('when many sites need a package during an outage, then they share one request', async () => {
    let end = (): void => undefined;
    const outage = new Promise<never>((_, reject) => {
      end = () => reject(packageSourceFailed('x', { reason: 'connect' }));
    });
    fail = () => outage;
    const waiting = Array.from({ length: 200 }, find);
    await Promise.resolve();
    end();
    assert.deepEqual(new Set(await Promise.all(waiting)), new Set(['svc_package_source_failed']));
    assert.deepEqual([await find(), requests], ['svc_package_source_failed', 1]);
  });
});
