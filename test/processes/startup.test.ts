import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BenchService } from '../../scripts/bench/processes.ts';
import { freePort } from '../../scripts/support/free-port.ts';
import { sqliteModule } from '../../src/db/drivers/sqlite-module.ts';
import { runEntry, startBuiltService, testEnvironment } from '../support/service-process.ts';

// Runs on SQLite only: the service has its default configuration.

const MAIN = 'main';
const key = (): string => randomBytes(32).toString('base64');

/** Expects the start to fail with one line that matches, without internal details. */
async function expectStartupError(env: Record<string, string>, says: RegExp): Promise<void> {
  const { code, out, err } = await runEntry(MAIN, [], { LOG_LEVEL: 'silent', PORT: '0', ...env });
  assert.equal(code, 1, err);
  assert.match(err, /^[^\n]+\n$/, 'one line');
  assert.match(err, says);
  assert.equal(out, '', 'no credentials are shown that nobody can use');
}

(process.env['TEST_DATABASE_URL'] ? describe.skip : describe)('a service that cannot start', () => {
  let folder: string;
  before(async () => (folder = await mkdtemp(join(tmpdir(), 'sitefleet-test-'))));
  after(() => rm(folder, { recursive: true, force: true }));
  const fresh = async (): Promise<string> => mkdtemp(join(folder, 'data-'));

  it('when the port is in use, then the service prints one line and changes no data', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const data = await fresh();
    await expectStartupError(
      { PORT: String(port), SITEFLEET_DATA_DIR: data },
      /^Port \d+ of 127\.0\.0\.1 is in use\. Set PORT/,
    );
    server.close();
    const { out } = await runEntry('cli', ['users', 'list', '--json'], { SITEFLEET_DATA_DIR: data });
    assert.deepEqual(JSON.parse(out), [], 'its first credentials are made when somebody can see them');
  });

  it('when a later release has migrated the database, then the service prints one line', async () => {
    const data = await fresh();
    await runEntry('cli', ['migrate', 'up'], { SITEFLEET_DATA_DIR: data });
    const file = new sqliteModule.DatabaseSync(join(data, 'sitefleet.db'));
    file.exec(`insert into schema_migrations (name, batch) values ('20991231T0000_later', 1)`);
    file.close();
    await expectStartupError({ SITEFLEET_DATA_DIR: data }, /^A later release has migrated the database/);
    const { code, err } = await runEntry('cli', ['users', 'list'], { SITEFLEET_DATA_DIR: data });
    assert.deepEqual([code, err.split('\n').length], [1, 2], err);
  });

  it('when the environment is invalid, then the service prints the reason in one line', async () => {
    const file = join(folder, 'a-file');
    await writeFile(file, '');
    const damaged = await fresh();
    await writeFile(join(damaged, 'sitefleet.db'), randomBytes(20_000));
    const emptied = await fresh();
    await writeFile(join(emptied, 'sitefleet.db'), '');
    await writeFile(join(emptied, 'secret.key'), key());
    const headerOnly = await fresh();
    const opened = new sqliteModule.DatabaseSync(join(headerOnly, 'sitefleet.db'));
    opened.exec('pragma user_version = 1');
    opened.close();
    await writeFile(join(headerOnly, 'secret.key'), key());
    const server = { DATABASE_URL: `mysql://user:hush@127.0.0.1:${await freePort()}/name` };
    await Promise.all([
      expectStartupError(
        { SITEFLEET_DATA_DIR: join(file, 'data') },
        /^The data directory \S+ cannot be written \(ENOTDIR\)\./,
      ),
      expectStartupError(
        { SITEFLEET_DATA_DIR: damaged },
        /^The database \S+sitefleet\.db is damaged or is not a database\./,
      ),
      expectStartupError(
        { SITEFLEET_DATA_DIR: emptied },
        /^The database \S+sitefleet\.db is empty, but its key \S+secret\.key exists\./,
      ),
      expectStartupError({ SITEFLEET_DATA_DIR: headerOnly }, /^The database \S+sitefleet\.db is empty, but its key/),
      expectStartupError(
        { SITEFLEET_DATA_DIR: await fresh(), HOST: '192.0.2.1' },
        /^The service cannot listen on 192\.0\.2\.1/,
      ),
      expectStartupError({ PORT: 'http' }, /^PORT must be a whole number/),
      expectStartupError({ SITEFLEET_TRUST_PROXY: 'true' }, /^SITEFLEET_TRUST_PROXY must be a number of proxies/),
      expectStartupError(
        { ...server, SITEFLEET_SECRET_KEY: key() },
        /^The database server 127\.0\.0\.1:\d+ cannot be reached/,
      ),
      expectStartupError(server, /^SITEFLEET_SECRET_KEY \(32 bytes in base64\) is required/),
      expectStartupError(
        { SITEFLEET_DATA_DIR: await fresh(), SITEFLEET_SECRET_KEY: 'short' },
        /^SITEFLEET_SECRET_KEY must be 32/,
      ),
    ]);
  });

  it('when the sealing key is lost or wrong, then the stored data is not changed', async () => {
    const data = await fresh();
    const env = { SITEFLEET_DATA_DIR: data };
    const create = ['users', 'create', '--name', 'ann', '--role', 'viewer'];
    assert.equal((await runEntry('cli', create, env)).code, 0);
    const file = join(data, 'secret.key');
    const stored = await readFile(file, 'utf8');

    await Promise.all([
      expectStartupError(
        { ...env, SITEFLEET_SECRET_KEY: key() },
        /^The sealing key does not match this database\. Set/,
      ),
      runEntry('cli', ['users', 'list'], { ...env, SITEFLEET_SECRET_KEY: key() }).then(({ code, err }) => {
        assert.equal(code, 1);
        assert.match(err, /^The sealing key does not match/);
      }),
    ]);
    await rename(file, `${file}.away`);
    await expectStartupError(
      env,
      /^The sealing key \S+ is missing, but the database contains data that was encrypted with it\. Restore/,
    );
    await assert.rejects(readFile(file), { code: 'ENOENT' }, 'no new key is made');
    const { code, err } = await runEntry('cli', ['users', 'list'], env);
    assert.equal(code, 1);
    assert.match(err, /^The sealing key \S+ is missing/);
    const given = { ...env, SITEFLEET_SECRET_KEY: stored };
    assert.equal((await runEntry('cli', ['users', 'list'], given)).code, 0);
    await unlink(`${file}.away`);
  });
});

(process.env['TEST_DATABASE_URL'] ? describe.skip : describe)('two services with one SQLite file', () => {
  it('when a service is running, then a second one cannot start but commands work; after a kill the next one starts', async () => {
    const { env, remove } = await testEnvironment();
    const start = (): Promise<BenchService> => startBuiltService(env);
    let service = await start();
    try {
      const second = { ...env, PORT: String(await freePort()) };
      await expectStartupError(second, /^Another service already uses the data directory \S+\. Stop it, or/);
      assert.equal((await runEntry('cli', ['users', 'list'], env)).code, 0);
      process.kill(service.pid, 'SIGKILL');
      await service.exited;
      service = await start();
      assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
    } finally {
      await service.stop();
      await remove();
    }
  });
});
