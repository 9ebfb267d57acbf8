import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { abilitySkeleton } from '../../scripts/new/ability.ts';
import type { Skeleton } from '../../scripts/new/contract.ts';
import { v2Skeleton, type V2Options } from '../../scripts/new/v2.ts';

const COPIED = [
  ...['openapi', 'generated', 'docs/guides', 'examples', 'scripts', 'src', 'test/support'],
  ...['package.json', 'tsconfig.json', 'redocly.yaml', '.redocly.lint-ignore.yaml'],
  ...['LICENSE', '.oxfmtrc.json', '.mocharc.json'],
];
/** Parts whose `routes` map has different forms. */
const FORMS = {
  abilities: ['changes', 'clients', 'costs', 'inventory', 'sites', 'updates', 'uptime'],
  v2: ['access', 'batch', 'content', 'pro-reports', 'settings', 'sites', 'tags', 'time-tracker', 'tools', 'uptime'],
} as const;

const text = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : null);
const ability = (part: string, name: string, category?: string): Skeleton =>
  abilitySkeleton({ part, name, category, hasSite: false }, text);
const v2 = (part: string, name: string, options: Partial<V2Options> = {}): Skeleton =>
  v2Skeleton({ part, name, ...options }, text);
const allText = ({ files }: Skeleton): string => [...files.values()].join('\n');

describe('npm run new', () => {
  it('when name, part or path is invalid, then the error gives the reason', () => {
    const cases: [() => unknown, RegExp][] = [
      [() => ability('tags', 'shelve'), /is not a valid name/],
      [() => ability('tags', 'get-tag'), /get-tag-v1 exists already/],
      [() => ability('shelves', 'get-shelf'), /no part shelves.*docs\/recipes\/part\.md/],
      [() => ability('mail', 'list-mails'), /choose a category, as in --category svc-sites/],
      [() => ability('mail', 'list-mails', 'svc-mail'), /must be one of svc-sites, svc-clients/],
      [() => ability('tags', `archive-${'tag-'.repeat(10)}s`), /is too long/],
      [() => v2('tags', 'get'), /tags_get exists already/],
      [() => v2('shelves', 'get'), /no part shelves/],
      [() => v2('tags', 'shelve', { path: '/tags/{tag_id}' }), /is in openapi\/v2\/tags\/get\.yaml/],
      [() => v2('tags', 'shelve', { path: '/tags/{shelf}' }), /No path parameter is called shelf/],
      [() => v2('tags', 'shelve', { method: 'LOCK' }), /must be one of GET, PUT/],
    ];
    for (const [call, words] of cases) assert.throws(call, words);
  });

  for (const part of FORMS.abilities)
    it(`when an ability is added to ${part}, then its handler is in the map of the part`, () => {
      const routes = ability(part, 'get-shelf').files.get(`src/surfaces/abilities/${part}/routes.ts`) ?? '';
      assert.match(routes, /,\n\s+'get-shelf-v1': async \(\{ text \}\) => \(\{ text \}\),\s*\}/);
    });

  for (const part of FORMS.v2)
    it(`when a v2 operation is added to ${part}, then its handler is in the map of the part`, () => {
      const { id, files } = v2(part, 'get-shelf');
      assert.match(
        files.get(`src/surfaces/v2/${part}/routes.ts`) ?? '',
        new RegExp(`,\\n\\s+${id}: async [^;]+},\\s*}`),
      );
    });

  it('when a part is new on a surface, then it is registered with a tag', () => {
    const { files } = v2('digest', 'get');
    assert.match(
      files.get('openapi/v2/openapi.yaml') ?? '',
      /^ {2}- \{name: digest, description: .+\n[^]*\/digest\/get:/m,
    );
    const index = files.get('src/surfaces/v2/index.ts') ?? '';
    assert.match(index, /costs\/routes\.ts';\nimport \* as digest from '\.\/digest\/routes\.ts';\nimport \* as domain/);
    assert.match(index, /^ {2}costs,\n {2}digest,\n {2}'domain-monitor'/m);
  });

  it('when all operations of a part require a module, then the new operation requires it', () => {
    assert.match(allText(v2('time-tracker', 'get-hours')), /x-module: time-tracker/);
  });

  it('when operations of a part have another prefix, then the new operation has it', () => {
    assert.equal(v2('access', 'keys-pause').id, 'keys_pause');
  });

  it('when a path contains a site, then the operation has the error code of an unknown site', () => {
    const site = allText(v2('sites', 'poke', { path: '/sites/{id_or_domain}/poke' }));
    assert.match(site, /x-errors: \[svc_site_not_found, svc_ambiguous_site\]/);
    const monitor = allText(v2('uptime', 'monitors-poke', { path: '/monitors/{id_or_domain}/poke' }));
    assert.match(monitor, /x-errors: \[svc_monitor_not_found, svc_ambiguous_site\]/);
  });

  it('when an ability does not concern a site, then its input has no site', () => {
    const { files } = ability('tags', 'archive-tag');
    assert.doesNotMatch(files.get('openapi/abilities/tags/archive-tag-v1.yaml') ?? '', /site/i);
  });

  describe('in a copy of the repository', () => {
    let folder: string;
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'sitefleet-new-'));
      for (const name of COPIED) cpSync(name, join(folder, name), { recursive: true });
      symlinkSync(resolve('node_modules'), join(folder, 'node_modules'), 'dir');
    });
    after(() => rm(folder, { recursive: true, force: true }));

    const node = async (...args: string[]): Promise<string> =>
      (await promisify(execFile)(process.execPath, args, { cwd: folder })).stdout;
    const tsx = (...args: string[]): Promise<string> => node('--import=tsx', ...args);
    const create = async (...args: string[]): Promise<string[]> => {
      const output = await tsx('scripts/new/main.ts', ...args);
      return [...output.matchAll(/^(?:written|changed) {2}(\S+)$/gm)].map(([, path = '']) => path);
    };

    it('when an ability and a v2 operation are generated, then they compile and pass lint and tests', async () => {
      const files = [
        ...(await create('ability', 'tags/archive-tag')),
        ...(await create('v2', 'tags/archive', '--path', '/tags/{tag_id}/archive')),
      ];
      assert.deepEqual(files, [
        'openapi/abilities/tags/archive-tag-v1.yaml',
        'openapi/abilities/tags/schemas.yaml',
        'openapi/abilities/openapi.yaml',
        'src/surfaces/abilities/tags/routes.ts',
        'test/abilities/tags/archive-tag-v1.test.ts',
        'openapi/v2/tags/archive.yaml',
        'openapi/v2/tags/schemas.yaml',
        'openapi/v2/openapi.yaml',
        'src/surfaces/v2/tags/routes.ts',
        'test/v2/tags/archive.test.ts',
      ]);
      const code = files.filter((file) => file.endsWith('.ts'));
      const tests = files.filter((file) => file.endsWith('.test.ts'));
      const types = {
        extends: './tsconfig.json',
        // The build information is in node_modules, which the copy shares.
        compilerOptions: { incremental: false, tsBuildInfoFile: null },
        include: ['src', ...tests],
      };
      writeFileSync(join(folder, 'tsconfig.new.json'), JSON.stringify(types));
      const lint = tsx('scripts/check/lint-openapi.ts');
      await tsx('scripts/build/generate.ts');
      const [linted] = await Promise.all([
        lint,
        node('node_modules/typescript-native/bin/tsc', '-p', 'tsconfig.new.json', '--noEmit'),
        node('node_modules/oxfmt/bin/oxfmt', '--check', ...code),
        node('node_modules/mocha/bin/mocha.js', ...tests),
      ]);
      assert.match(linted, /The contract is clean/);
    });
  });
});
