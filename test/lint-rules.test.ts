import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './support/imports.ts';

interface LintMessage {
  code: string;
  message: string;
  labels: { span: { line: number } }[];
}

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sitefleet-lint-'));
  for (const name of ['.oxlintrc.json', 'scripts/lint'])
    await cp(join(ROOT, name), join(folder, name), { recursive: true });
  for (const name of ['src', 'scripts', 'test']) await mkdir(join(folder, name), { recursive: true });
});
after(() => rm(folder, { recursive: true, force: true }));

/** Returns the messages of a lint rule for a file with these lines, by line number. */
async function complaintsOf(rule: string, file: string, lines: string[]): Promise<Record<number, string[]>> {
  await writeFile(join(folder, file), lines.join('\n'));
  const { stdout } = spawnSync(join(ROOT, 'node_modules/.bin/oxlint'), ['-f', 'json', file], {
    cwd: folder,
    encoding: 'utf8',
  });
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: LintMessage[] };
  const byLine: Record<number, string[]> = {};
  for (const { code, message, labels } of diagnostics)
    if (code === rule) (byLine[(labels[0]?.span.line ?? 0) - 1] ??= []).push(message);
  return byLine;
}

describe('lint rule for titles', () => {
  const complaintsAbout = (lines: string[]) => complaintsOf('titles(sentences)', 'test/planted.test.ts', lines);

  it('when a title has no condition, no effect or another form, then it is reported', async () => {
    const planted = [
      `it('refuses its calls', () => undefined);`,
      `it('refuses its calls when the key is disabled', () => undefined);`,
      `it('when the key is disabled', () => undefined);`,
      `it('then its calls are refused, when the key is disabled', () => undefined);`,
      `it('if the key is disabled, then its calls are refused', () => undefined);`,
      'it(`${name} when it is disabled, then refused`, () => undefined);',
      'it(`when ${name} is disabled`, () => undefined);',
      `it.only('refuses its calls', () => undefined);`,
      `it(title, () => undefined);`,
    ];
    const complaints = await complaintsAbout(planted);
    for (const [index, line] of planted.entries()) {
      assert.equal(complaints[index]?.length, 1, line);
      assert.match(complaints[index].join(), /^A title says when …, then …: /);
    }
  });

  it('when a title has the form when and then, then it is valid', async () => {
    const titles = ["'when the key is disabled, then its calls are refused'", '`when ${key} is disabled, then ${it}`'];
    assert.deepEqual(await complaintsAbout(titles.map((title) => `it(${title}, () => undefined);`)), {});
  });
});

describe('lint rule for comments', () => {
  const complaintsAbout = (file: string, lines: string[]) => complaintsOf('comments(width)', file, lines);
  /** Returns words that fill a line up to this width. */
  const filled = (start: string, width: number, end = ''): string =>
    start + 'word '.repeat(width).slice(0, width - start.length - end.length - 1) + '.' + end;

  it('when a comment exceeds 120 columns, then its line is reported', async () => {
    const planted = [
      filled('// ', 121),
      filled('const one = 1; // ', 121),
      filled('/** ', 121, ' */'),
      '/**',
      filled(' * ', 121),
      filled('  at its end ', 121, '*/'),
    ];
    const wide = [0, 1, 2, 4, 5];
    for (const file of ['src/planted.ts', 'scripts/planted.js', 'test/planted.ts']) {
      const complaints = await complaintsAbout(file, planted);
      assert.deepEqual(Object.keys(complaints).map(Number), wide, file);
      for (const messages of Object.values(complaints))
        assert.deepEqual(messages, ['A comment ends at 120 columns; wrap it.']);
    }
  });

  it('when a comment ends at 120 columns or code exceeds them, then it is valid', async () => {
    const lines = [
      filled('// ', 120),
      filled('/* ', 120, ' */'),
      filled("const text = '// ", 140, "';"),
      `/* short */ ${filled("const other = '", 140, "';")}`,
    ];
    assert.deepEqual(await complaintsAbout('src/planted.ts', lines), {});
  });
});

describe('lint rule for names', () => {
  /** Returns the reported names by line number. */
  async function namesIn(file: string, lines: string[]): Promise<Record<number, (string | undefined)[]>> {
    const complaints = Object.entries(await complaintsOf('names(participles)', file, lines));
    return Object.fromEntries(
      complaints.map(([line, messages]) => [line, messages.map((message) => /"(\w+)"/.exec(message)?.[1])]),
    );
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
    it(`when a name in ${folderName} is a bare participle, then it is reported`, async () => {
      const noticed = await namesIn(
        `${folderName}/planted.ts`,
        planted.map(([line]) => line),
      );
      for (const [index, [line, name]] of planted.entries()) assert.deepEqual(noticed[index], [name], line);
    });

  it('when a name has a noun or is a field, then it is valid', async () => {
    const lines = [
      'export const foundSites = 1;',
      'export const answer = { found: 1, refused: 2 };',
      'export interface Sum { told: number }',
      'export const { found: matches } = answer;',
      'export const total = answer.found + answer.refused;',
    ];
    assert.deepEqual(await namesIn('src/planted.ts', lines), {});
  });

  it('when the file is a test, then a participle is valid', async () => {
    assert.deepEqual(await namesIn('test/planted.ts', ['export const found = 1;']), {});
  });
});
