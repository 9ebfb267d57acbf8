import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JudgedChange } from '../../../scripts/check/changes/verdict.ts';
import { GENERATED_FOLDER, writeRelease, readGeneratedDocuments } from '../../../scripts/check/changes/releases.ts';
import { deref } from '../../../src/contract/index.ts';
import { SHORT_PROCESS_OPTIONS } from '../../support/short-lived.ts';
import type { LooseContract } from './planted-changes.ts';

interface CommandResult {
  code: number;
  out: string;
  err: string;
}
interface Report {
  changes: JudgedChange[];
  problems: string[];
}

const json = <T>({ out }: CommandResult): T => JSON.parse(out) as T;

describe('npm run lint -- changes', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sitefleet-changes-'));
    // The served contract is the release, so other changes in the repository do not matter.
    await writeRelease('0.0.1', await readGeneratedDocuments(), join(folder, 'released'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** Runs the command of every commit on the served contracts with one change. */
  async function changesWith(
    plant: (v2: LooseContract, abilities: LooseContract) => void,
    { changelog = '# Changelog\n\n## Unreleased\n', args = [] }: { changelog?: string; args?: string[] } = {},
  ): Promise<CommandResult> {
    const [abilities, v2] = await Promise.all(
      ['abilities', 'v2'].map(async (name) =>
        JSON.parse(await readFile(join(GENERATED_FOLDER, `${name}.openapi.json`), 'utf8')),
      ),
    );
    plant(v2, abilities);
    await writeFile(join(folder, 'abilities.openapi.json'), JSON.stringify(abilities));
    await writeFile(join(folder, 'v2.openapi.json'), JSON.stringify(v2));
    await writeFile(join(folder, 'CHANGELOG.md'), changelog);
    const options = ['--released', join(folder, 'released'), '--present', folder];
    const all = [
      ...SHORT_PROCESS_OPTIONS,
      '--import=tsx',
      'scripts/check/changes/main.ts',
      ...options,
      '--changelog',
      join(folder, 'CHANGELOG.md'),
      ...args,
    ];
    return new Promise((resolve) =>
      execFile(process.execPath, all, { timeout: 60_000, maxBuffer: 1 << 24 }, (error, out, err) =>
        resolve({ code: Number(error?.code ?? 0), out, err }),
      ),
    );
  }

  const renameVersion = ({ components }: LooseContract): void => {
    const { Site } = components.schemas;
    const { wp_version: moved, ...rest } = Site.properties;
    Site.properties = { ...rest, wordpress_version: moved };
    Site.required = Site.required.map((name: string) => (name === 'wp_version' ? 'wordpress_version' : name));
  };
  const dropStatus = (contract: LooseContract): void => {
    const { parameters } = contract.paths['/sites'].get;
    for (const each of parameters) {
      const { name, schema } = deref(contract, each);
      // An enum next to a default is inline and has no name.
      if (name === 'status') deref(contract, schema).enum.pop();
    }
  };
  const requireInput = (_v2: LooseContract, abilities: LooseContract): void => {
    abilities.components.schemas.ListSitesInput.required = ['page'];
  };
  const requireParameter = (contract: LooseContract): void => {
    contract.paths['/sites'].get.parameters.push({
      name: 'owner',
      in: 'query',
      required: true,
      schema: { type: 'integer' },
    });
  };

  it('when nothing changed, then the command passes', async () => {
    const { code, out } = await changesWith(() => undefined);
    assert.equal(code, 0, out);
    assert.match(out, /Since 0\.0\.1: 0 breaking, 0 additive, 0 editorial\./);
  });

  for (const [when, plant, message, entry] of [
    [
      'a field is renamed',
      renameVersion,
      /Site\.wp_version is called wordpress_version/,
      'field-renamed) Site.wp_version',
    ],
    ['an enum value is gone', dropStatus, /does not take "\w+" any more/, 'input-value-removed) '],
    [
      'a parameter is required',
      requireParameter,
      /sites_list asks for the parameter query\.owner/,
      'parameter-required) sites_list.query.owner',
    ],
    [
      'a field of an input is required',
      requireInput,
      /ListSitesInput\.page must be sent/,
      'input-field-required) ListSitesInput.page',
    ],
  ] as const)
    it(`when ${when}, then the command fails and names the change`, async () => {
      const { code, err } = await changesWith(plant);
      assert.equal(code, 1, err);
      assert.match(err, message);
      const line = /- breaking\([a-z-]+\) \S+: /.exec(err)?.[0] ?? '';
      assert.ok(line.includes(entry), `${line} does not name ${entry}`);
    });

  it('when the changelog announces the change, then the command passes', async () => {
    const line = '- breaking(field-renamed) Site.wp_version: read wordpress_version\n  in its place.';
    const changelog = `# Changelog\n\n## Unreleased\n\n### Breaking\n\n${line}\n\n## 0.0.1\n`;
    const { code, out, err } = await changesWith(renameVersion, { changelog });
    assert.equal(code, 0, err);
    assert.match(out, /Site\.wp_version is called wordpress_version\. \(announced\)/);
  });

  it('when --json is given, then each change has its level, kind, subject and operations', async () => {
    const { changes } = json<Report>(await changesWith(renameVersion, { args: ['--json'] }));
    const renamed = changes.find(({ kind }) => kind === 'field-renamed');
    assert.equal(renamed?.level, 'breaking');
    assert.equal(renamed?.subject, 'Site.wp_version');
    assert.equal(renamed?.announced, false);
    assert.ok(renamed?.operations.includes('sites_get'));
  });
});
