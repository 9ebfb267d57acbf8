import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Document } from '../../contract/document.ts';
import { SURFACES } from '../../../src/contract/surfaces.ts';
import { brunoFiles } from './bruno.ts';
import { postmanCollection } from './postman.ts';
import { folderOf, requestsOf, type RequestFolder, type RequestReach } from './requests.ts';

const NAME = 'Sitefleet';
const TITLES = { abilities: 'Abilities', v2: 'REST v2' } as const;

interface Collection {
  /** Part of the file names. */
  suffix: string;
  name: string;
  folders: RequestFolder[];
}

/** The second collection has what changes all sites or the service, so that nobody runs it with the first one. */
async function readCollections(generated = 'generated'): Promise<Collection[]> {
  const surfaces = await Promise.all(
    SURFACES.map(async (surface) => {
      const document = JSON.parse(await readFile(join(generated, `${surface}.openapi.json`), 'utf8')) as Document;
      const about = (document.info.description ?? '').split('\n\n')[0] ?? '';
      const requests = requestsOf(document);
      const folder = (reach: RequestReach, note = ''): RequestFolder => {
        const ofReach = requests.filter((request) => request.reach === reach);
        return folderOf(TITLES[surface] + note, about, ofReach);
      };
      return { single: [folder('read', ' (read)'), folder('change', ' (change)')], fleet: folder('fleet') };
    }),
  );
  return [
    { suffix: '', name: NAME, folders: surfaces.flatMap(({ single }) => single) },
    { suffix: '-fleet', name: `${NAME}: whole fleet`, folders: surfaces.map(({ fleet }) => fleet) },
  ];
}

/** Returns the files of both collections by name, for Postman and for Bruno. */
export async function collectionFiles(): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const { suffix, name, folders } of await readCollections()) {
    const postman = JSON.stringify(postmanCollection(name, folders), null, 1);
    files.set(`sitefleet${suffix}.postman_collection.json`, `${postman}\n`);
    for (const [file, text] of brunoFiles(name, folders)) files.set(`bruno${suffix}/${file}`, text);
  }
  return files;
}
