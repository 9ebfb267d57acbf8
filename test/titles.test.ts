import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './support/imports.ts';

const RULE = 'titles(sentences)';

interface Complaint {
  code: string;
  message: string;
  labels: { span: { line: number } }[];
}

describe('the lint of titles', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sitefleet-titles-'));
    for (const name of ['.oxlintrc.json', 'scripts/lint'])
      await cp(join(ROOT, name), join(folder, name), { recursive: true });
    await mkdir(join(folder, 'test'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** What the linter says of a test of these lines, by the number of the line. */
  async function complaintsAbout(lines: string[]): Promise<Record<number, string[]>> {
    await writeFile(join(folder, 'test/planted.test.ts'), lines.join('\n'));
    const { stdout } = spawnSync(join(ROOT, 'node_modules/.bin/oxlint'), ['-f', 'json'], {
      cwd: folder,
      encoding: 'utf8',
    });
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: Complaint[] };
    const byLine: Record<number, string[]> = {};
    for (const { code, message, labels } of diagnostics)
      if (code === RULE) (byLine[(labels[0]?.span.line ?? 0) - 1] ??= []).push(message);
    return byLine;
  }

  it('when a title has no condition, no effect or another form, then it is noticed', async () => {
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

  it('when a title says when and then, then it passes', async () => {
    const titles = ["'when the key is disabled, then its calls are refused'", '`when ${key} is disabled, then ${it}`'];
    assert.deepEqual(await complaintsAbout(titles.map((title) => `it(${title}, () => undefined);`)), {});
  });
});
