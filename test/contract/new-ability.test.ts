import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { abilitySkeleton } from '../../scripts/new/ability.ts';

const COPIED = [
  'openapi',
  'generated',
  'scripts',
  'src',
  'package.json',
  'tsconfig.json',
  'redocly.yaml',
  '.redocly.lint-ignore.yaml',
  '.oxfmtrc.json',
];
const ID = 'get-tag-shelf-v1';

describe('npm run new -- ability', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sitefleet-new-'));
    for (const name of COPIED) cpSync(name, join(folder, name), { recursive: true });
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'), 'dir');
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const run = (script: string, ...args: string[]) =>
    promisify(execFile)(process.execPath, ['--import=tsx', script, ...args], { cwd: folder });
  const text = (path: string) => (existsSync(join(folder, path)) ? readFileSync(join(folder, path), 'utf8') : null);

  it('when the name is none, the part has no ability or the ability is there, then it says so', () => {
    for (const [part, name, words] of [
      ['tags', 'shelve', /is no name/],
      ['discovery', 'get-shelf', /a new part begins with the recipe/],
      ['shelves', 'get-shelf', /a new part begins with the recipe/],
      ['tags', 'get-tag', /get-tag-v1 is there already/],
    ] as const)
      assert.throws(() => abilitySkeleton(part, name, text), words);
  });

  it('when an ability is begun, then lint passes its contract, and handler and test wait to be written', async () => {
    const { stdout } = await run('scripts/new/main.ts', 'ability', 'tags/get-tag-shelf');
    const files = [...stdout.matchAll(/^(?:written|changed) {2}(\S+)$/gm)].map(([, path = '']) => path);
    assert.deepEqual(files, [
      `openapi/abilities/tags/${ID}.yaml`,
      'openapi/abilities/tags/schemas.yaml',
      'openapi/abilities/openapi.yaml',
      'src/surfaces/abilities/tags/routes.ts',
      `test/abilities/tags/${ID}.test.ts`,
    ]);
    const code = files.filter((file) => file.endsWith('.ts'));
    await promisify(execFile)(resolve('node_modules/.bin/oxfmt'), ['--check', ...code], { cwd: folder });
    assert.match(
      text('src/surfaces/abilities/tags/routes.ts') ?? '',
      new RegExp(`^ {2}'${ID}': async \\(\\) => \\{\\},$`, 'm'),
    );
    assert.match((await run('scripts/check/lint-openapi.ts')).stdout, /The contract is clean/);
  });

  it('when the map of a part ends in another form, then the handler stands in it all the same', () => {
    for (const part of ['changes', 'clients', 'costs', 'inventory', 'jobs', 'security', 'sites', 'updates', 'uptime']) {
      const routes = abilitySkeleton(part, 'get-shelf', text).files.get(`src/surfaces/abilities/${part}/routes.ts`);
      assert.match(routes ?? '', /^ +'get-shelf-v1': async \(\) => \{\},\n *\}/m, part);
    }
  });
});
