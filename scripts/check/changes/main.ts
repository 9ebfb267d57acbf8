/**
 * Compares the contract with that of the last release, and lists the changes that callers could notice. Fails if
 * CHANGELOG.md does not announce a breaking change. Records the changes for the feed of the docs.
 */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { Level } from '../../../src/contract-checks/index.ts';
import { notableChanges, readRecords, recordChanges, recordFinder, RECORDS } from './records.ts';
import { readLastRelease, readGeneratedDocuments, GENERATED_FOLDER, RELEASED_FOLDER } from './releases.ts';
import { countOf, judgeChanges, type JudgedChange } from './verdict.ts';

const USAGE = `npm run lint -- changes [--json] [--all] [--record]

Lists the changes of the contract since the last release (${RELEASED_FOLDER}). Fails if a breaking change is not
announced under "## Unreleased" in CHANGELOG.md.

  --all          also lists changes of wording, which callers cannot notice
  --json         prints JSON: {version, changes, problems}
  --record       records new changes with the day of today (UTC), for the feed of the docs
  --records      file with the recorded changes (default: ${RECORDS})
  --released     folder with a folder of the released contract (default: ${RELEASED_FOLDER})
  --present      folder with <surface>.openapi.json (default: ${GENERATED_FOLDER})
  --changelog    file (default: CHANGELOG.md)`;

try {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      all: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
      records: { type: 'string', default: RECORDS },
      released: { type: 'string', default: RELEASED_FOLDER },
      present: { type: 'string', default: GENERATED_FOLDER },
      changelog: { type: 'string', default: 'CHANGELOG.md' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) console.log(USAGE);
  else await run(values);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 2;
}

interface Options {
  json: boolean;
  all: boolean;
  record: boolean;
  records: string;
  released: string;
  present: string;
  changelog: string;
}

async function run({ json, all, record, records, released, present, changelog }: Options): Promise<void> {
  const [{ version, documents }, now, text] = await Promise.all([
    readLastRelease(released),
    readGeneratedDocuments(present),
    readFile(changelog, 'utf8'),
  ]);
  const { changes, problems } = judgeChanges(documents, now, text);
  if (problems.length > 0) process.exitCode = 1;
  const recorded = record ? await recordChanges(version, changes, records) : null;
  if (json) return console.log(JSON.stringify({ version, changes, problems }, null, 1));
  const shown: Level[] = all ? ['breaking', 'additive', 'editorial'] : ['breaking', 'additive'];
  for (const change of changes.filter(({ level }) => shown.includes(level))) console.log(lineOf(change));
  const counts = (['breaking', 'additive', 'editorial'] as const).map((level) => `${countOf(changes, level)} ${level}`);
  console.log(`Since ${version}: ${counts.join(', ')}.`);
  if (recorded === null) await reportUnrecorded(version, changes, records);
  else console.log(`Recorded ${recorded} new changes in ${records}.`);
  for (const problem of problems) console.error(`\n${problem}`);
}

async function reportUnrecorded(since: string, changes: readonly JudgedChange[], file: string): Promise<void> {
  const recordOf = recordFinder(await readRecords(file));
  const missing = notableChanges(changes).filter((change) => recordOf({ ...change, since }) === null);
  if (missing.length > 0)
    console.log(
      `${missing.length} changes are not in ${file}, the feed of API changes. Record them with the day of today: \
npm run lint -- changes --record`,
    );
}

function lineOf({ level, kind, message, announced }: JudgedChange): string {
  return `${level.padEnd(9)}  ${kind.padEnd(26)}  ${message}${announced === true ? ' (announced)' : ''}`;
}
