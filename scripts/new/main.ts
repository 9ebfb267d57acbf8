/**
 * Writes the files of a new operation. They compile and their test passes; what the operation does is left to write.
 *
 *   npm run new -- ability tags/archive-tag
 *   npm run new -- v2 tags/archive --path '/tags/{tag_id}/archive'
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Command, CommanderError } from 'commander';
import { abilitySkeleton } from './ability.ts';
import type { Reader, Skeleton } from './contract.ts';
import { v2Skeleton } from './v2.ts';

const OXFMT = 'node_modules/.bin/oxfmt';

const read: Reader = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : null);

function placeIn(place: string): { part: string; name: string } {
  const [, part, name] = /^([a-z0-9-]+)\/([a-z0-9-]+)$/.exec(place) ?? [];
  if (part === undefined || name === undefined) throw new Error(`${place} must be like tags/archive-tag.`);
  return { part, name };
}

function write(surface: string, part: string, { id, files }: Skeleton): void {
  for (const [path, text] of files) {
    console.log(`${existsSync(path) ? 'changed' : 'written'}  ${path}`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const paths = [...files.keys()];
  execFileSync(
    OXFMT,
    paths.filter((path) => path.endsWith('.ts')),
  );
  console.log(`
Next:
  1. npm run generate
  2. npm test -- ${paths.at(-1)}
  3. Describe ${id} in ${paths[0]} and schemas.yaml, and generate again.
  4. Write what it does in src/domains/${part}/, call it in src/surfaces/${surface}/${part}/routes.ts, and test it.
  5. Name ${id} in CHANGELOG.md, and run npm run lint.

docs/recipes/${surface === 'v2' ? 'v2-operation' : 'ability'}.md explains each step.`);
}

const program = new Command('npm run new --')
  .description('Write the contract, handler and test of a new operation.')
  .exitOverride();

program
  .command('ability')
  .description('a new ability, such as tags/archive-tag')
  .argument('<part/name>')
  .option('--site', 'the ability is about one site, which its input names')
  .option('--category <slug>', 'category of the first ability of a part, such as svc-sites')
  .action((place: string, { site = false, category }: { site?: boolean; category?: string }) => {
    const { part, name } = placeIn(place);
    write('abilities', part, abilitySkeleton({ part, name, hasSite: site, category }, read));
  });

program
  .command('v2')
  .description('a new v2 operation, such as tags/archive')
  .argument('<part/name>')
  .option('--method <method>', 'GET, PUT, POST, PATCH or DELETE')
  .option('--path <path>', "such as '/tags/{tag_id}/archive'")
  .action((place: string, options: { method?: string; path?: string }) => {
    const { part, name } = placeIn(place);
    write('v2', part, v2Skeleton({ part, name, ...options }, read));
  });

try {
  program.parse();
} catch (error) {
  // Commander has printed its own errors.
  if (!(error instanceof CommanderError)) console.error((error as Error).message);
  process.exitCode = error instanceof CommanderError ? error.exitCode : 1;
}
