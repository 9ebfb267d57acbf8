import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { sdkPackage } from '../../scripts/contract/sdk/index.ts';
import type { Document } from '../../scripts/contract/document.ts';
import { buildSdk, packSdk } from '../../scripts/release/sdk-package.ts';
import { schemasOf } from '../../src/contract/index.ts';
import { readContract } from '../../src/surfaces/generated-files.ts';
import { samplesOfSdk } from '../support/docs-samples.ts';
import { createApiKey } from '../support/sdk.ts';
import { startWorld } from '../support/world.ts';

// Runs on SQLite only: the test is about the client.

const run = promisify(execFile);
const QUICK_START = 'examples/typescript/quick-start.ts';
/** Packages that a project needs to compile and run. They are not downloaded. */
const INSTALLED = ['openapi-fetch', 'openapi-typescript-helpers', '@types/node', 'undici-types'];
const SOURCES = [
  ...['src/sdk', 'src/client-cli', 'src/contract-checks', 'src/contract', 'src/shared', 'generated/sdk'],
  ...[
    'generated/error-codes.ts',
    'generated/field-types.ts',
    'generated/permissions.ts',
    'tsconfig.json',
    'package.json',
  ],
];
const OPTIONS = [
  '--strict',
  '--target',
  'es2022',
  '--module',
  'nodenext',
  '--types',
  'node',
  '--noUncheckedIndexedAccess',
];

/** Compiles if the types demand and allow exactly this. */
const DEMANDS = `
import { createClient, type JobType } from '@sitefleet/sdk';

const fleet = createClient({ url: 'http://127.0.0.1:1', key: 'none' });
const [plugin, client] = [{ site_id_or_domain: 1, slugs: ['hello.php'] }, { client_id_or_email: 3 }];
export const confirmed = () => [
  fleet.ability('delete-site-plugins-v1', { ...plugin, confirm: true }),
  fleet.ability('delete-client-v1', { ...client, confirm: true }),
  fleet.ability('delete-client-v1', { ...client, dry_run: true }),
  // @ts-expect-error: a deletion needs a confirmation
  fleet.ability('delete-site-plugins-v1', plugin),
  // @ts-expect-error: false confirms nothing
  fleet.ability('delete-site-plugins-v1', { ...plugin, confirm: false }),
  // @ts-expect-error: neither confirmed nor a preview
  fleet.ability('delete-client-v1', client),
];
export const numbers = () => fleet.route('users_list', { query: { websites: [1, 'shop.example'], groups: [7] } });
export async function unchanged(): Promise<string> {
  const { data } = await fleet.answer('tags_get', { path: { tag_id: 1 } });
  const kept = await fleet.answer('tags_get', { path: { tag_id: 1 } }, { ifNoneMatch: '"x"' });
  // @ts-expect-error: undefined at 304
  kept.data.data.name;
  return data.data.name + (kept.data?.data.name ?? '');
}
export const types: JobType[] = ['sync', 'a-type-of-a-later-version'];
`;

/** CommonJS requires the ES module, which Node can do from 20.19 on. */
const COMMON = `
import sdk = require('@sitefleet/sdk');
console.log(typeof sdk.createClient);
`;

/** Compiles programs of a project. Returns the messages of the compiler. */
async function compile(folder: string, files: readonly string[], ...options: string[]): Promise<string> {
  const compiler = [resolve('node_modules/typescript-native/bin/tsc'), ...files, ...OPTIONS, ...options];
  return run(process.execPath, compiler, { cwd: folder }).then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  );
}

/** If npm installs into the project, its packages are copied, because npm removes links. */
async function startProject(folder: string, place: 'copied' | 'linked'): Promise<void> {
  await mkdir(folder, { recursive: true });
  const manifest = { name: 'empty', private: true, type: 'module', devDependencies: { '@types/node': '*' } };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  await cp(QUICK_START, join(folder, 'quick-start.ts'));
  for (const name of INSTALLED) {
    const [from, to] = [resolve('node_modules', name), join(folder, 'node_modules', name)];
    await mkdir(dirname(to), { recursive: true });
    await (place === 'copied' ? cp(from, to, { recursive: true }) : symlink(from, to, 'dir'));
  }
}

describe('packed SDK', function () {
  this.timeout(300_000);

  let folder: string;
  before(async () => (folder = await mkdtemp(join(tmpdir(), 'sitefleet-sdk-'))));
  after(() => rm(folder, { recursive: true, force: true }));

  /** Copies the sources of the package, except files that other tests read at the same time. */
  async function scratch(): Promise<string> {
    const root = join(folder, 'scratch');
    for (const name of SOURCES)
      await cp(name, join(root, name), { recursive: true, filter: (path) => !path.startsWith('generated/sdk/dist') });
    await symlink(resolve('node_modules'), join(root, 'node_modules'), 'dir');
    return root;
  }

  it('when the SDK is installed in an empty project, then all samples of the docs compile and a sync succeeds', async () => {
    const root = await scratch();
    await buildSdk(root);
    const archive = await packSdk(folder, join(root, 'generated/sdk'));
    const project = join(folder, 'project');
    await startProject(project, 'copied');
    await run('npm', ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-package-lock', archive], {
      cwd: project,
    });
    const samples = await samplesOfSdk();
    assert.ok(samples.size > 300);
    for (const [name, code] of samples) await writeFile(join(project, `${name}.ts`), code);
    const files = ['quick-start', ...samples.keys()].map((name) => `${name}.ts`);
    // Checks the declarations of the package, but not the libraries of the compiler.
    assert.equal(await compile(project, files, '--skipDefaultLibCheck'), '');
    await writeFile(join(project, 'demands.ts'), DEMANDS);
    assert.equal(await compile(project, ['demands.ts'], '--skipDefaultLibCheck', '--noEmit'), '');
    await writeFile(join(project, 'common.cts'), COMMON);
    assert.equal(await compile(project, ['common.cts'], '--skipDefaultLibCheck'), '');
    assert.equal((await run(process.execPath, ['common.cjs'], { cwd: project })).stdout, 'function\n');
    const world = await startWorld({ sites: 2 });
    try {
      const env = { SITEFLEET_URL: world.url, SITEFLEET_KEY: await createApiKey(world) };
      const { stdout } = await run(process.execPath, ['quick-start.js'], { cwd: project, env });
      for (const { url } of world.fleet.sites) assert.ok(stdout.includes(url));
    } finally {
      await world.close();
    }
  });

  it('when a field of the contract is renamed, then that project no longer compiles', async () => {
    const root = join(folder, 'scratch');
    const documents = { abilities: structuredClone(readContract('abilities')), v2: readContract('v2') };
    const { Site: site } = schemasOf(documents.abilities);
    const { url, ...properties } = site?.properties ?? {};
    Object.assign(site ?? {}, { properties: { ...properties, address: url } });
    const files = await sdkPackage(documents as unknown as Record<'abilities' | 'v2', Document>);
    for (const [name, content] of files) await writeFile(join(root, 'generated/sdk', name), content);
    const project = join(folder, 'renamed');
    await startProject(project, 'linked');
    // The sources are used in place of the build.
    await mkdir(join(project, 'node_modules/@sitefleet'), { recursive: true });
    await symlink(root, join(project, 'node_modules/@sitefleet/sdk'), 'dir');
    const manifest = { name: '@sitefleet/sdk', type: 'module', exports: './src/sdk/index.ts' };
    await writeFile(join(root, 'package.json'), JSON.stringify(manifest));
    const faults = await compile(
      project,
      ['quick-start.ts'],
      '--noEmit',
      '--skipLibCheck',
      '--allowImportingTsExtensions',
    );
    assert.match(faults, /^quick-start\.ts\(\d+,\d+\): error TS\d+: Property 'url' does not exist/);
    assert.equal(faults.trim().split('\n').length, 1, faults);
  });

  it('when an enum is extensible, then its type completes the known values and accepts others', async () => {
    const documents = { abilities: readContract('abilities'), v2: readContract('v2') };
    const files = await sdkPackage(documents as unknown as Record<'abilities' | 'v2', Document>);
    const text = [...files.values()].join('\n');
    for (const name of ['JobType', 'MailType', 'JobRingState'])
      assert.match(text, new RegExp(`export type ${name} = "[^;]*" \\| \\(string & \\{\\}\\);`), name);
    assert.match(text, /export type SiteStatus = "connected" \| "disconnected" \| "suspended";/);
  });

  it('when the files of the SDK are read, then none is large and each type is declared once', async () => {
    const files = (await readdir('generated/sdk', { recursive: true })).filter((name) => /^(?!dist).*\.ts$/.test(name));
    const names: string[] = [];
    for (const name of files) {
      const path = join('generated/sdk', name);
      assert.ok((await stat(path)).size < 200_000, name);
      for (const [, declared = ''] of (await readFile(path, 'utf8')).matchAll(/^export (?:interface|type) (\w+)/gm))
        names.push(declared);
    }
    assert.ok(names.length > 500);
    assert.deepEqual(
      names.filter((name, index) => names.indexOf(name) !== index),
      [],
    );
  });
});
