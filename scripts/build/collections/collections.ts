import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Document } from '../../contract/document.ts';
import { SURFACES } from '../../contract/surfaces.ts';
import { brunoFiles } from './bruno.ts';
import { postmanCollection } from './postman.ts';
import { folderOf, type SurfaceFolder } from './requests.ts';

const NAME = 'Sitefleet';
const TITLES = { abilities: 'Abilities', v2: 'REST v2' } as const;

async function readFolders(generated = 'generated'): Promise<SurfaceFolder[]> {
  const folders = SURFACES.map(async (surface) => {
    const text = await readFile(join(generated, `${surface}.openapi.json`), 'utf8');
    return folderOf(TITLES[surface], JSON.parse(text) as Document);
  });
  return Promise.all(folders);
}

/** Returns the files of both collections by name. */
export async function collectionFiles(): Promise<Map<string, string>> {
  const surfaces = await readFolders();
  const postman = `${JSON.stringify(postmanCollection(NAME, surfaces), null, 1)}\n`;
  const bruno = [...brunoFiles(NAME, surfaces)].map(([name, text]) => [`bruno/${name}`, text] as const);
  return new Map([['sitefleet.postman_collection.json', postman], ...bruno]);
}
