import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { createApiKey, bundleForBrowser } from '../support/sdk.ts';
import { startWorld, type World } from '../support/world.ts';

// Runs on SQLite only: the test is about the client.

const FOLDER = 'examples/typescript';

/** The part of each output that is the same in every run. */
const PRINTS: Record<string, RegExp> = {
  'quick-start.ts': /^(.+ http:\/\/127\S+\n){3}$/,
  'paging.ts': /page 1 of 2: .+, .+\npage 2 of 2: .+\nnewest change: \S+\n3 sites\n$/,
  'job-with-progress.ts': /sync: 3 of 3\ncompleted: 3 went well, 0 failed\n$/,
  'errors.ts': /^No site .+ \(request \S+\)\nNo site .+ \(request \S+\)\n$/,
  'idempotent-create.ts': /^client (\d+), and again \1\nreplayed: false, then true\nThe record was changed .+\n$/,
  'batch.ts': /shops.*care plan/s,
  'abort.ts': /^(http\S+\n){2}seen enough\ntook too long\n$/,
  'files.ts': /^id,.+\ntext\/html.* true\n1 user was made\n$/,
  'one-part.ts': /^.+ is connected; there are \d+ tags\n$/,
};

describe('SDK examples', () => {
  let world: World;
  let folder: string;
  let environment: Record<string, string>;
  before(async () => {
    [world, folder] = await Promise.all([startWorld({ sites: 3 }), mkdtemp(join(tmpdir(), 'sitefleet-examples-'))]);
    environment = { SITEFLEET_URL: world.url, SITEFLEET_KEY: await createApiKey(world) };
  });
  after(async () => {
    await world.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('when the examples folder is read, then each file has a test', async () => {
    assert.deepEqual((await readdir(FOLDER)).sort(), Object.keys(PRINTS).sort());
  });

  it('when the quick start is read, then it has less than ten lines', async () => {
    const text = await readFile(join(FOLDER, 'quick-start.ts'), 'utf8');
    assert.ok(text.trim().split('\n').length < 10);
  });

  for (const [name, prints] of Object.entries(PRINTS))
    it(`when ${basename(name, '.ts')} is run, then it prints the expected output`, async () => {
      const script = join(folder, name.replace('.ts', '.mjs'));
      await writeFile(script, await bundleForBrowser(join(FOLDER, name)));
      const { stdout } = await promisify(execFile)(process.execPath, [script], { env: environment, timeout: 60_000 });
      assert.match(stdout, prints);
    });
});
