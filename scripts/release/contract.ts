/**
 * Stores the contract as that of the version in package.json. `npm run lint -- changes` compares with it from then on.
 *
 *   npx tsx scripts/release/contract.ts
 */
import { readFile } from 'node:fs/promises';
import { isReleased } from '../check/changes/changelog.ts';
import { readLastRelease, readGeneratedDocuments, writeRelease } from '../check/changes/releases.ts';
import { judgeChanges } from '../check/changes/verdict.ts';

try {
  const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
  const changelog = await readFile('CHANGELOG.md', 'utf8');
  if (isReleased(changelog, version))
    throw new Error(
      `CHANGELOG.md has a heading for ${version}, so it is out: package.json must name the next version.`,
    );
  const present = await readGeneratedDocuments();
  const last = await readLastRelease().catch(() => null);
  // A version that is not released yet can be stored again.
  const problems = last && last.version !== version ? judgeChanges(last.documents, present, changelog).problems : [];
  if (problems.length > 0) throw new Error(problems.join('\n\n'));
  for (const file of await writeRelease(version, present)) console.log(`Wrote ${file}.`);
  console.log(`Now call the part "## Unreleased" of CHANGELOG.md "## ${version}".`);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
