import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SURFACES, type Surface } from '../../../src/contract/surfaces.ts';
import { addErrorLists } from '../../../src/contract-checks/index.ts';
import type { ComparableContract } from '../../../src/contract-checks/index.ts';

export type Documents = Record<Surface, ComparableContract>;

/** Folder of the released contract. It has a folder for the version. */
export const RELEASED_FOLDER = 'openapi/released';
/** Folder of the documents that `npm run generate` writes. */
export const GENERATED_FOLDER = 'generated';

const read = async (file: string): Promise<ComparableContract> =>
  JSON.parse(await readFile(file, 'utf8')) as ComparableContract;

async function readDocuments(nameOf: (surface: Surface) => string): Promise<Documents> {
  const [abilities, v2] = await Promise.all(SURFACES.map((surface) => read(nameOf(surface))));
  return { abilities, v2 } as Documents;
}

/**
 * Reads the present documents and adds the error codes of each operation. They follow from data that a release does not
 * store.
 */
export async function readGeneratedDocuments(folder = GENERATED_FOLDER): Promise<Documents> {
  const documents = await readDocuments((surface) => join(folder, `${surface}.openapi.json`));
  for (const document of Object.values(documents)) addErrorLists(document);
  return documents;
}

/** Reads the only release in the folder. Earlier releases are in the Git history. */
export async function readLastRelease(folder = RELEASED_FOLDER): Promise<{ version: string; documents: Documents }> {
  const [version, ...others] = await readdir(folder).catch(() => []);
  if (version === undefined)
    throw new Error(
      `${folder} holds no released contract; npx tsx scripts/release/contract.ts writes the present one there.`,
    );
  if (others.length > 0)
    throw new Error(`${folder} holds ${[version, ...others].join(', ')}; there must be one alone.`);
  return { version, documents: await readDocuments((surface) => join(folder, version, `${surface}.json`)) };
}

export async function writeRelease(version: string, documents: Documents, folder = RELEASED_FOLDER): Promise<string[]> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, version), { recursive: true });
  return Promise.all(
    SURFACES.map(async (surface) => {
      const file = join(folder, version, `${surface}.json`);
      await writeFile(file, `${JSON.stringify(documents[surface])}\n`);
      return file;
    }),
  );
}
