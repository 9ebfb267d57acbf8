import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { surfaceDocuments } from '../../scripts/docs/entries.ts';
import { docsExampleCall } from '../../scripts/docs/example-call.ts';
import { typescriptOf } from '../../scripts/docs/samples.ts';

const GUIDES = 'docs/guides';
/** True if the sample creates its own client. Other samples continue an earlier one. */
const isProgram = (code: string): boolean => code.includes('= createClient({ url: process.env');

/** Returns the SDK samples of the docs as programs by name. */
export async function samplesOfSdk(): Promise<Map<string, string>> {
  const samples = new Map<string, string>();
  for (const { surface, parts } of surfaceDocuments())
    for (const { entries } of parts)
      for (const entry of entries)
        samples.set(`${surface}-${entry.id}`, `${typescriptOf(docsExampleCall(entry))}\nexport { response };`);
  for (const name of await readdir(GUIDES)) {
    const text = await readFile(join(GUIDES, name), 'utf8');
    for (const [index, [, code = '']] of [...text.matchAll(/^```ts.*\n([^]*?)^```/gm)].entries())
      if (isProgram(code)) samples.set(`${name.replace('.md', '')}-${index + 1}`, `${code}\nexport {};`);
  }
  return samples;
}
