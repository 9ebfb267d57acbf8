import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './support/imports.ts';

interface Complaint {
  code: string;
  message: string;
  filename: string;
  labels: { span: { line: number } }[];
}

describe('the lint of names', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sitefleet-names-'));
    for (const name of ['.oxlintrc.json', 'scripts/lint'])
      await cp(join(ROOT, name), join(folder, name), { recursive: true });
    for (const name of ['src', 'test']) await mkdir(join(folder, name));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** The names that the linter complains of in a file of these lines, by the number of the line. */
  async function namesNoticed(file: string, lines: readonly string[]): Promise<Record<number, string[]>> {
    const path = join(folder, file);
    await writeFile(path, lines.join('\n'));
    const { stdout } = spawnSync(join(ROOT, 'node_modules/.bin/oxlint'), ['-f', 'json'], {
      cwd: folder,
      encoding: 'utf8',
    });
    await rm(path);
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: Complaint[] };
    const byLine: Record<number, string[]> = {};
    for (const { code, message, filename, labels } of diagnostics)
      if (code === 'names(participles)' && filename.endsWith(file))
        (byLine[(labels[0]?.span.line ?? 0) - 1] ??= []).push(/"(\w+)"/.exec(message)?.[1] ?? message);
    return byLine;
  }

  const planted: readonly [string, string][] = [
    ['export const found = 1;', 'found'],
    ['export let told: string | undefined;', 'told'],
    ['export function refused(): void {}', 'refused'],
    ['export function call(given: object): object { return given; }', 'given'],
    ['export const name = ({ title: told = "" }): string => told;', 'told'],
    ['{ const { answers: found } = { answers: [1] }; void found; }', 'found'],
    ['{ const { refused } = { refused: [1] }; void refused; }', 'refused'],
    ['{ const [, ...given] = [1, 2]; void given; }', 'given'],
    ['export class Reader { read(told: string): string { return told; } }', 'told'],
    ['export type Tell = (told: string) => void;', 'told'],
    ['export interface Teller { tell(told: string): void }', 'told'],
  ];

  for (const folderName of ['src', 'scripts'])
    it(`when something in ${folderName} is called by a bare participle, then it is noticed`, async () => {
      const noticed = await namesNoticed(
        `${folderName}/planted.ts`,
        planted.map(([line]) => line),
      );
      for (const [index, [line, name]] of planted.entries()) assert.deepEqual(noticed[index], [name], line);
    });

  it('when a name says of what, or is a field, then it passes', async () => {
    const lines = [
      'export const foundSites = 1;',
      'export const answer = { found: 1, refused: 2 };',
      'export interface Sum { told: number }',
      'export const { found: matches } = answer;',
      'export const total = answer.found + answer.refused;',
    ];
    assert.deepEqual(await namesNoticed('src/planted.ts', lines), {});
  });

  it('when it is a test, then it passes', async () => {
    assert.deepEqual(await namesNoticed('test/planted.ts', ['export const found = 1;']), {});
  });
});
