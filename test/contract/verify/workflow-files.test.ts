import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { buildCommandLine } from '../../../scripts/release/command-line.ts';
import { startChangingProxy, type ChangingProxy } from '../../support/changing-proxy.ts';
import { createApiKey } from '../../support/sdk.ts';
import { startWorld, type World } from '../../support/world.ts';

// Runs on SQLite only: the test is about a client.

interface GithubWorkflow {
  jobs: { contract: { steps: { run?: string }[] } };
}
interface GitlabPipeline {
  contract: { script: string[] };
}

const read = async <T>(name: string): Promise<T> => parse(await readFile(`examples/ci/${name}.yml`, 'utf8')) as T;

/** Returns the commands of both files that call the packed program. */
async function commandsOfWorkflows(): Promise<string[]> {
  const [github, gitlab] = await Promise.all([read<GithubWorkflow>('github'), read<GitlabPipeline>('gitlab')]);
  return [...github.jobs.contract.steps.flatMap(({ run }) => run ?? []), ...gitlab.contract.script];
}

describe('workflow files of a consumer', function () {
  this.timeout(180_000);

  let world: World;
  let proxy: ChangingProxy;
  let folder: string;
  let key: string;

  before(async () => {
    world = await startWorld({ sites: 1 });
    proxy = await startChangingProxy(world.url, {
      lying: (call, { status, body }) => {
        if (call === 'GET /api/v2/sites/basic' && status === 200) for (const site of body.data) delete site.name;
      },
    });
    key = await createApiKey(world);
    folder = await mkdtemp(join(tmpdir(), 'sitefleet-consumer-'));
    await buildCommandLine(join(folder, 'sitefleet.js'));
    await mkdir(join(folder, 'contract'));
    for (const surface of ['abilities', 'v2']) {
      const response = await fetch(`${world.url}/openapi/${surface}.json`);
      await writeFile(join(folder, `contract/${surface}.json`), await response.text());
    }
  });
  after(async () => {
    await proxy.close();
    await world.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs a command in a folder without a checkout. The program is the packed one. */
  const run = (command: string, url: string): Promise<{ code: number; out: string }> =>
    new Promise((resolve) => {
      const local = command.replace(/^npx .*? sitefleet /, `"${process.execPath}" sitefleet.js `);
      const env = { PATH: process.env['PATH'] ?? '', SITEFLEET_URL: url, SITEFLEET_KEY: key };
      execFile('sh', ['-c', local], { cwd: folder, env, maxBuffer: 1 << 24 }, (error, out, err) =>
        resolve({ code: Number(error?.code ?? 0), out: out + err }),
      );
    });

  it('when the files are copied, then their command passes for a service that follows its contract', async () => {
    const commands = await commandsOfWorkflows();
    assert.equal(commands.length, 2);
    assert.equal(commands[0], commands[1]);
    const { code, out } = await run(commands[0] ?? '', world.url);
    assert.equal(code, 0, out);
    assert.match(await readFile(join(folder, 'report.xml'), 'utf8'), /<testsuite name="answers"/);
  });

  it('when the service leaves out a required field, then the command fails and names the operation', async () => {
    const [command = ''] = await commandsOfWorkflows();
    const { code, out } = await run(`${command} --only '^sites_list_basic$'`, proxy.url('lying'));
    assert.equal(code, 1, out);
    assert.match(out, /sites_list_basic +\/data\/\*\/name: expected a value, got nothing/);
  });
});
