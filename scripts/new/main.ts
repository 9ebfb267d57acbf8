/**
 * Writes the files of a new operation, so that what is left is to say what it does.
 *
 *   npm run new -- ability tags/archive-tag
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { abilitySkeleton } from './ability.ts';

const USAGE = 'Usage: npm run new -- ability <part>/<name>';

try {
  const [kind, place = ''] = process.argv.slice(2);
  const [, part = '', name = ''] = /^([a-z-]+)\/([a-z0-9-]+)$/.exec(place) ?? [];
  if (kind !== 'ability' || name === '') throw new Error(USAGE);
  const { id, files } = abilitySkeleton(part, name, (path) => (existsSync(path) ? readFileSync(path, 'utf8') : null));
  for (const [path, text] of files) {
    console.log(`${existsSync(path) ? 'changed' : 'written'}  ${path}`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  console.log(`
Next:
  1. Say in openapi/abilities/${part}/${id}.yaml what it takes, does and answers.
  2. npm run generate && npm run lint: the types complain of the handler until it answers.
  3. Write the use case in src/domains/${part}/, the handler in src/surfaces/abilities/${part}/, and the test.
  4. npm test -- test/abilities/${part}/${id}.test.ts`);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
