import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { documents } from '../../scripts/docs/entries.ts';
import { exampleCall } from '../../scripts/docs/example-call.ts';
import { typescriptOf } from '../../scripts/docs/samples.ts';

const GUIDES = 'docs/guides';
/** What makes its own client; other pieces go on from one that stands before them. */
const isProgram = (code: string): boolean => code.includes('= createClient({ url: process.env');

describe('what the docs show of the SDK', () => {
  it('when each sample is compiled, then the SDK takes it', async function () {
    this.timeout(120_000);
    await mkdir('dist', { recursive: true });
    const folder = resolve(await mkdtemp(join('dist', 'samples-')));
    try {
      const samples = new Map<string, string>();
      for (const { surface, parts } of documents())
        for (const { entries } of parts)
          for (const entry of entries)
            samples.set(`${surface}-${entry.id}`, `${typescriptOf(exampleCall(entry))}\nexport { answer };`);
      assert.ok(samples.size > 300);
      for (const name of await readdir(GUIDES)) {
        const text = await readFile(join(GUIDES, name), 'utf8');
        for (const [index, [, code = '']] of [...text.matchAll(/^```ts.*\n([^]*?)^```/gm)].entries())
          if (isProgram(code)) samples.set(`${name.replace('.md', '')}-${index + 1}`, `${code}\nexport {};`);
      }
      for (const [name, code] of samples) await writeFile(join(folder, `${name}.ts`), code);
      const options = { noEmit: true, incremental: false, noPropertyAccessFromIndexSignature: false };
      const config = {
        extends: '../../tsconfig.json',
        compilerOptions: { ...options, noUnusedLocals: false },
        include: ['.'],
      };
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
      const faults = await promisify(execFile)(process.execPath, [
        resolve('node_modules/typescript/bin/tsc'),
        '-p',
        folder,
      ]).then(
        () => '',
        (error: { stdout: string }) => error.stdout,
      );
      assert.equal(faults, '');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
