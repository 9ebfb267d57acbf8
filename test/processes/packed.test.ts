import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { serviceEnvironment, startService } from '../../scripts/bench/processes.ts';
import { until } from '../support/until.ts';

// Runs on SQLite only: the service has its default configuration.

/** Packages that only some calls need, and those that the validator loads by itself and this service never uses. */
const NOT_AT_START = [
  ...['got', 'tldts', 'tough-cookie', 'csv-parse', 'csv-stringify', 'echarts', '@modelcontextprotocol/server'],
  ...['@apidevtools/json-schema-ref-parser', 'js-yaml', 'multer'],
];

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

  it('when the service starts, then its files are joined, and packages that only some calls need are not loaded', async () => {
    const { env, remove } = await serviceEnvironment();
    const list = join(folder, 'loaded.txt');
    const hook = join(folder, 'list-modules.mjs');
    const append = `import { appendFileSync } from 'node:fs'; const note = (name) => appendFileSync(${JSON.stringify(list)}, name + '\\n');`;
    const loader = `${append} export const load = (url, context, next) => { note(url); return next(url, context); };`;
    // Loader hooks see no file that a CommonJS package requires. These are in the cache at the end.
    writeFileSync(
      hook,
      `import Module, { register } from 'node:module'; ${append}
      register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(loader)}));
      process.on('exit', () => Object.keys(Module._cache).forEach(note));`,
    );
    const service = await startService(env, ['--import', hook], join(home, 'dist/src/main.js'));
    await service.stop();
    await remove();
    const loaded = readFileSync(list, 'utf8').split('\n');
    assert.ok(loaded.some((file) => file.includes('/node_modules/knex/')));
    assert.ok(loaded.filter((file) => file.includes('/dist/src/')).length <= 10);
    for (const name of NOT_AT_START)
      assert.deepEqual(
        loaded.filter((file) => file.includes(`/node_modules/${name}/`)),
        [],
      );
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
