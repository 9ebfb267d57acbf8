/**
 * Stores the contract as that of the version in package.json. `npm run lint -- changes` compares with it from then on.
 * Records the changes since the release before, for the feed of the docs.
 *
 *   npx tsx scripts/release/contract.ts
 */
import { readFile } from 'node:fs/promises';
import { isReleased } from '../check/changes/changelog.ts';
import { recordChanges } from '../check/changes/records.ts';
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
  const verdict = last && last.version !== version ? judgeChanges(last.documents, present, changelog) : null;
  if (verdict && verdict.problems.length > 0) throw new Error(verdict.problems.join('\n\n'));
  // A version that is stored again has no changes since itself, so its records are removed.
  if (last) await recordChanges(last.version, verdict?.changes ?? []);
  for (const file of await writeRelease(version, present)) console.log(`Wrote ${file}.`);
  console.log(`Now call the part "## Unreleased" of CHANGELOG.md "## ${version}".`);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
