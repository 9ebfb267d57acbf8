/** Files of the repository that guides link to. The site contains copies, because its readers have no checkout. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { posix } from 'node:path';

export interface ExampleFile {
  /** Path in the repository. */
  source: string;
  /** Path below the root of the site. */
  address: string;
  text: string;
}

/** Folders with examples, and their paths on the site. */
const FOLDERS: Readonly<Record<string, string>> = {
  'examples/ci': '/examples/ci',
  'examples/typescript': '/examples/typescript',
  'scripts/check/clients/programs': '/examples/programs',
};

export const exampleFiles = (): ExampleFile[] =>
  Object.entries(FOLDERS).flatMap(([folder, address]) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => statSync(posix.join(folder, name)).isFile())
      .sort()
      .map((name) => {
        const source = posix.join(folder, name);
        return { source, address: posix.join(address, name), text: readFileSync(source, 'utf8') };
      }),
  );
