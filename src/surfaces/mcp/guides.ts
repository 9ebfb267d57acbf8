import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { GENERATED_FOLDER } from '../generated-files.ts';

export interface Guide {
  name: string;
  title: string;
  text: string;
}

const FOLDER = join(dirname(GENERATED_FOLDER), 'docs', 'guides');
const NAME = /^([a-z0-9-]+)\.md$/;
const TITLE = /^title: *(['"]?)(.+)\1 *$/m;

let cachedGuides: Promise<Guide[]> | undefined;

export const listGuides = (): Promise<Guide[]> => (cachedGuides ??= readGuides());

async function readGuides(): Promise<Guide[]> {
  const files = (await readdir(FOLDER).catch(() => [])).filter((file) => NAME.test(file)).sort();
  return Promise.all(
    files.map(async (file) => {
      const text = await readFile(join(FOLDER, file), 'utf8');
      const name = file.replace(NAME, '$1');
      return { name, title: TITLE.exec(text)?.[2] ?? name, text };
    }),
  );
}
