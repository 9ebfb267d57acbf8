import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { serviceEnvironment, startService } from '../../scripts/bench/processes.ts';
import { until } from '../support/until.ts';

// Runs on SQLite only: the service has its default configuration.

/** Returns the packages that `npm ci --omit=dev` installs at the top level, from the lock file. */
function productionPackages(): string[] {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { dev?: true; devOptional?: true }>;
  };
  const top = /^node_modules\/(@[^/]+\/)?[^/]+$/;
  return Object.entries(packages).flatMap(([path, { dev }]) =>
    top.test(path) && !dev && existsSync(path) ? [path] : [],
  );
}

(process.env['TEST_DATABASE_URL'] ? describe.skip : describe)('packed service', function () {
  this.timeout(300_000);

  let folder: string;
  let home: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sitefleet-test-'));
    const run = (command: string, ...args: string[]): void => {
      const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
      assert.equal(status, 0, stderr);
    };
    run('npm', 'run', '-s', 'build');
    run('npm', 'pack', '--ignore-scripts', '--silent', '--pack-destination', folder);
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    run('tar', '-xzf', join(folder, `sitefleet-${version}.tgz`), '-C', folder);
    home = join(folder, 'package');
    for (const path of productionPackages()) {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      symlinkSync(resolve(path), join(home, path), 'dir');
    }
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('when the package is installed without devDependencies, then the service runs and serves its docs', async () => {
    const { env, remove } = await serviceEnvironment();
    const service = await startService(env, [], join(home, 'dist/src/main.js'));
    try {
      for (const path of ['/healthz', '/readyz', '/docs', '/docs/v2', '/openapi/abilities.json', '/openapi/v2.yaml'])
        assert.equal((await fetch(service.url + path)).status, 200, path);
      const headers = { authorization: service.authorization };
      assert.equal((await fetch(`${service.url}/api/v2/sites`, { headers })).status, 200);
      const isChecked = async () => /"integrity":"ok"/.test(await (await fetch(`${service.url}/readyz`)).text());
      await until(isChecked, 'the check of the database file');
    } finally {
      await service.stop();
      await remove();
    }
  });

  it('when the process may open too few files, then the service prints one line', async () => {
    const { env, remove } = await serviceEnvironment();
    const command = `ulimit -n 64; exec "${process.execPath}" "${join(home, 'dist/src/main.js')}"`;
    const { status, stderr } = spawnSync('sh', ['-c', command], { env: { ...process.env, ...env }, encoding: 'utf8' });
    await remove();
    assert.equal(status, 1, stderr);
    assert.match(stderr, /^Too many files are open \(EMFILE\)\. [^\n]+\n$/);
  });
});
