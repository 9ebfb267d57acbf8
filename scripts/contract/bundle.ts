import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Document } from './document.ts';
import { expandDeprecations } from './expand-deprecations.ts';
import { expandErrors } from './expand-errors.ts';
import { expandHeaders } from './expand-headers.ts';
import { expandSelections } from './expand-selections.ts';
import { nameSchemas } from './name-schemas.ts';
import { withSources } from './sources.ts';
import type { Surface } from './surfaces.ts';

/** The environment of the tool, which would tell of itself otherwise. */
export const QUIET = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

export async function redocly(...args: string[]): Promise<void> {
  try {
    await promisify(execFile)(process.execPath, ['node_modules/@redocly/cli/bin/cli.js', ...args], {
      env: QUIET,
      maxBuffer: 64 << 20,
    });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`redocly ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: error });
  }
}

/** One document of the sources of a surface, with headers, refused answers and names written out. */
export async function bundle(surface: Surface): Promise<Document> {
  return withSources(async (folder) => {
    const file = join(folder, 'bundle.json');
    await redocly('bundle', join(folder, surface, 'openapi.yaml'), '-o', file);
    const document = JSON.parse(await readFile(file, 'utf8')) as Document;
    refuseRenamedComponents(document);
    return expandDeprecations(expandSelections(nameSchemas(expandErrors(expandHeaders(document), surface))));
  });
}

/**
 * The bundler answers two different components of one name with `Name-2` and a mere warning; SDKs would change
 * silently.
 */
function refuseRenamedComponents(document: Document): void {
  for (const kind of Object.values(document.components))
    for (const name of Object.keys(kind))
      if (/-\d+$/.test(name)) throw new Error(`Two components are called ${name.replace(/-\d+$/, '')}.`);
}
