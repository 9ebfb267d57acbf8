import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const GUIDES = 'docs/guides';

export interface GuideSample {
  /** Name of the guide and number of the block in it, such as `jobs 2`. */
  name: string;
  language: string;
  code: string;
}

/** Returns the code blocks of the guides and of the README that a reader can run, in the order of the text. */
export function guideSamples(languages: readonly string[]): GuideSample[] {
  const files = readdirSync(GUIDES)
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(GUIDES, name));
  const samples: GuideSample[] = [];
  for (const file of ['README.md', ...files]) {
    const guide = file.replace(/^.*\//, '').replace('.md', '');
    const blocks = [...readFileSync(file, 'utf8').matchAll(/^( *)```(.*)\n([^]*?)^\1```$/gm)];
    for (const [index, [, , info = '', code = '']] of blocks.entries()) {
      const [language = ''] = info.split(' ');
      if (languages.includes(language)) samples.push({ name: `${guide} ${index + 1}`, language, code });
    }
  }
  return samples;
}
