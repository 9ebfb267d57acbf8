import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../scripts/support/free-port.ts';
import { startFleet, type Fleet } from '../../src/sandbox/index.ts';
import { builtEntry } from '../support/built-entry.ts';
import { guideSamples, type GuideSample } from '../support/guide-samples.ts';
import { pluginZip } from '../support/packages.ts';
import { until } from '../support/until.ts';

const KEY = 'sf_key_of_the_reader_of_the_guides';
const PASSWORD = 'password-of-the-reader-of-the-guides';
/** Enough for the samples that connect a site. */
const STRANGERS = 5;

/** Samples that are not calls of a running service, with the reason. */
const NOT_RUN = new Map([
  ...['README 1', 'README 2', 'first-steps 1', 'operating 1', 'operating 2', 'upgrading 1'].map(
    (name) =>
      [name, 'installs, starts or changes an installation: the tests of processes and packages do that'] as const,
  ),
  ...['first-steps 3', 'performance-audits 1', 'reports 2'].map(
    (name) => [name, 'installs software of others'] as const,
  ),
  ...['command-line 1', 'contract-checks 5', 'tests-with-the-demo 1', 'tests-with-the-demo 2', 'typescript-sdk 1'].map(
    (name) => [name, 'installs the package: test/sdk and test/processes/packed.test.ts do that'] as const,
  ),
  ...['collections 1', 'contract-checks 2', 'operating 3', 'other-languages 1', 'other-languages 6', 'workflows 1'].map(
    (name) => [name, 'runs a generator or a check of the repository, which has tests of its own'] as const,
  ),
  ['collections 2', 'scripts/check/collections runs these programs'],
  ['command-line 2', 'asks a person for the key'],
  ['contract-checks 3', 'checks every operation, which takes minutes: test/contract-checks does that'],
  ['mail 1', 'needs a mail server: test/admin-cli does that'],
  ['workflows 4', 'test/workflows runs all workflows'],
  ...['other-languages 2', 'other-languages 3', 'other-languages 4', 'other-languages 5', 'other-languages 10'].map(
    (name) => [name, 'needs a generated client: scripts/check/clients runs such programs'] as const,
  ),
]);

/** Makes a shell run the samples as they are printed, and fail at the first call that fails. */
const SHELL_PRELUDE = `set -euo pipefail
curl() { command curl -sS --fail-with-body "$@"; }
sitefleet() { node "$CLIENT_ENTRY" "$@"; }
npm() {
  if [ "$1 $2 $3" = 'run cli --' ]; then shift 3; node "$CLI_ENTRY" "$@"; else command npm --prefix "$REPOSITORY" "$@"; fi
}
`;

/** Declares the variables that snippets of TypeScript use without a declaration. */
const TYPESCRIPT_PRELUDE = `import { createClient as connect } from '@sitefleet/sdk';
const [service, url, key, jobId] = ['SITEFLEET_URL', 'SITEFLEET_URL', 'SITEFLEET_KEY', 'JOB'].map((n) => process.env[n]!);
`;

/** The first workflow needs an update, and other samples install all of them. Automatic fixes would undo a rollback. */
const placeOf = ({ name }: GuideSample): number => {
  if (name.startsWith('workflows')) return 0;
  return name.startsWith('packages') ? 1 : 2;
};

const RUNNABLE = ['sh', 'bash', 'ts', 'python', 'php'];
const SDK = resolve('src/sdk');

const execute = promisify(execFile);

describe('samples of the guides', function () {
  this.timeout(300_000);
  let folder: string;
  let demo: ChildProcess;
  let url: string;
  /** Sites that the demo has not connected. */
  let strangers: Fleet;
  let env: Record<string, string>;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sitefleet-guides-test-'));
    const [port, CLIENT_ENTRY] = [await freePort(), await builtEntry('client')];
    url = `http://127.0.0.1:${port}`;
    demo = spawn(
      process.execPath,
      ['--import=tsx', 'src/client-cli/main.ts', 'demo', '--port', String(port), '--sites', '12'],
      {
        env: { ...process.env, SITEFLEET_API_KEY: KEY, SITEFLEET_ADMIN_PASSWORD: PASSWORD, TMPDIR: folder },
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    );
    strangers = await startFleet({ sites: STRANGERS });
    await until(
      async () => (await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2000) }).catch(() => null))?.ok === true,
      'the demo to be ready',
      240_000,
    );
    // The samples name client 3, tag 7, the tag `canary`, and the files `batch.json` and `forms-pro-3.1.0.zip`.
    await writeFile(join(folder, 'batch.json'), '{"sites": {"check": [1]}}');
    await writeFile(join(folder, 'forms-pro-3.1.0.zip'), await pluginZip('forms-pro', '3.1.0'));
    await call('POST', '/api/v2/clients/add', { name: 'Third client' });
    for (const name of ['canary', 'fourth', 'fifth', 'sixth', 'seventh'])
      await call('POST', '/api/v2/tags/add', { name });
    const job = await (await call('POST', '/api/v2/schedules/daily-sync/run')).json();
    const [data = ''] = (await readdir(folder)).filter((name) => name.startsWith('sitefleet-simulated-'));
    env = {
      ...{ SITEFLEET_URL: url, SITEFLEET_KEY: KEY, SITEFLEET_API_KEY: KEY, SERVICE: url, API_KEY: KEY },
      ...{ APPLICATION_PASSWORD: PASSWORD, USER_AND_PASSWORD: `admin:${PASSWORD}` },
      ...{
        JOB: (job as { data: { job_id: string } }).data.job_id,
        SITEFLEET_DATA_DIR: join(folder, data),
        HOME: folder,
      },
      ...{ CLIENT_ENTRY, CLI_ENTRY: await builtEntry('cli'), REPOSITORY: resolve('.') },
      npm_config_update_notifier: 'false',
    };
  });
  after(async () => {
    if (demo?.exitCode === null && demo.kill('SIGTERM')) await once(demo, 'exit');
    await strangers?.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function call(method: string, path: string, body?: object): Promise<Response> {
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
    const answer = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${await answer.clone().text()}`);
    return answer;
  }

  let connected = 0;
  /** Replaces the values that a reader replaces: addresses, passwords and ETags of an own service. */
  async function withOwnValues({ name, code: printed }: GuideSample): Promise<string> {
    const code = printed.replaceAll(/^export SITEFLEET_.*$/gm, '');
    const etag = (await call('GET', '/api/v2/sites/12')).headers.get('etag') ?? '';
    const site = strangers.sites[connected];
    const connects = code.includes('admin_password') || code.includes('site_password');
    if (connects) connected += 1;
    const own =
      connects && site
        ? code.replace(/https:\/\/(shop\.example|example\.com)\/?/, site.url).replace('…', site.adminPassword)
        : code;
    return (
      own
        .replaceAll('http://127.0.0.1:8080', url)
        .replaceAll(/shop\.example(%2Fblog)?/g, '12')
        .replaceAll('"4nT0gS6mQkq2m0qkF1bQ3w"', etag)
        // One update of the demo needs a newer PHP, so the command ends with 1.
        .replace(/^(sitefleet updates run --all [^#]*)#.*$/m, '$1 || [ $? -eq 1 ]')
        .replaceAll('"name": "shops"', `"name": "shops of ${name}"`)
    );
  }

  async function run(command: string, file: string, code: string, cwd: string): Promise<string> {
    const path = join(folder, file);
    await writeFile(path, code);
    const [program = '', ...args] = command.split(' ');
    const child = execute(program, [...args, path], { cwd, env: { ...process.env, ...env } });
    const { stdout } = await child.catch((error: Error & { stdout: string }) =>
      assert.fail(`${error.message}\n${error.stdout}`),
    );
    return stdout;
  }

  const runners: Record<string, (code: string) => Promise<string>> = {
    sh: (code) => run('bash', 'sample.sh', SHELL_PRELUDE + code, folder),
    bash: (code) => run('bash', 'sample.sh', SHELL_PRELUDE + code, folder),
    python: (code) => run('python3', 'sample.py', code, folder),
    php: (code) => run('php', 'sample.php', code, folder),
    ts: (code) => {
      const known = code.includes('const fleet =') ? '' : 'const fleet = connect({ url, key });\n';
      const text = (TYPESCRIPT_PRELUDE + known + code)
        .replaceAll("'@sitefleet/sdk'", `'${SDK}/index.ts'`)
        .replaceAll(/'@sitefleet\/sdk\/core'/g, `'${SDK}/core.ts'`)
        .replaceAll(/'@sitefleet\/sdk\/parts\/(\w+)'/g, `'${resolve('generated/sdk/parts')}/$1.ts'`);
      return run('node --import=tsx', 'sample.mts', text, resolve('.'));
    },
  };

  const samples = guideSamples(RUNNABLE).filter(({ name }) => !NOT_RUN.has(name));
  for (const sample of samples.sort((a, b) => placeOf(a) - placeOf(b)))
    it(`when a reader runs the sample ${sample.name}, then it succeeds`, async function () {
      const program = sample.language === 'python' ? 'python3' : sample.language;
      if (['python3', 'php'].includes(program) && spawnSync(program, ['--version']).error) return this.skip();
      await runners[sample.language]?.(await withOwnValues(sample));
    });

  it('when a sample is left out, then it still exists', () => {
    const names = guideSamples([...RUNNABLE, 'go']).map(({ name }) => name);
    for (const name of NOT_RUN.keys()) assert.ok(names.includes(name), name);
  });
});
