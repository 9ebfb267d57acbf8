import { readFile, writeFile } from 'node:fs/promises';
import { handlerIdOf } from '../../../src/contract/index.ts';
import type { JudgedChange } from './verdict.ts';

/** File with a JSON object per line. Git merges lines more easily than one JSON document. */
export const RECORDS = 'openapi/changes.jsonl';

/** Change of the contract with the day on which it was recorded. */
export interface RecordedChange extends Pick<JudgedChange, 'level' | 'kind' | 'surface' | 'subject' | 'message'> {
  /** Day (UTC). It stays while level and message stay, so that readers of the feed show the change once. */
  date: string;
  /** Version of the release before the change. */
  since: string;
  operations: string[];
}

/** Changes that nearly every operation shares. The changelog describes them once. */
const COMMON = new Set(['error-code-added', 'status-added', 'header-added']);

/** Changes for the page and the feed of the docs. A further verb (`x-also`) is listed with its operation. */
export const notableChanges = (changes: readonly JudgedChange[]): JudgedChange[] =>
  changes
    .filter(
      ({ level, kind, subject }) => level !== 'editorial' && !COMMON.has(kind) && handlerIdOf(subject) === subject,
    )
    .map((change) => ({ ...change, message: sentenceOf(change) }));

/** Starts the message with a capital letter, unless it starts with the ID of an operation. */
const sentenceOf = ({ message }: JudgedChange): string =>
  /^[a-z]+[_-]/.test(message) ? message : message.charAt(0).toUpperCase() + message.slice(1);

/**
 * Identifies an entry of the feed. If the same field changes again before the next release, its entry gets another
 * message and day, and readers of the feed show it again.
 */
export const keyOf = ({
  since,
  surface,
  kind,
  subject,
}: Pick<RecordedChange, 'since' | 'surface' | 'kind' | 'subject'>): string =>
  [since, surface, kind, subject].map(encodeURIComponent).join(':');

/** Returns a function that finds the record of a change. It finds none if level or message have changed since. */
export function recordFinder(
  records: readonly RecordedChange[],
): (change: Omit<RecordedChange, 'date' | 'operations'>) => RecordedChange | null {
  const known = new Map(records.map((record) => [keyOf(record), record]));
  return (change) => {
    const record = known.get(keyOf(change));
    return record?.level === change.level && record.message === change.message ? record : null;
  };
}

/** Returns no records if the file does not exist. */
export async function readRecords(file = RECORDS): Promise<RecordedChange[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RecordedChange);
}

/**
 * Returns the records after a comparison with the release `since`. New changes get the date. Changes that were taken
 * back are removed. Records of earlier releases stay as they are.
 */
export function updatedRecords(
  records: readonly RecordedChange[],
  since: string,
  changes: readonly JudgedChange[],
  date: string,
): RecordedChange[] {
  const recordOf = recordFinder(records);
  const present = notableChanges(changes).map(({ level, kind, surface, subject, message, operations }) => ({
    date: recordOf({ since, level, kind, surface, subject, message })?.date ?? date,
    since,
    ...{ level, kind, surface, subject, message },
    operations: [...new Set(operations.map(handlerIdOf))],
  }));
  return [...records.filter((record) => record.since !== since), ...present];
}

/** Records the changes since a release, and returns the number of those that are new or have another message. */
export async function recordChanges(
  since: string,
  changes: readonly JudgedChange[],
  file = RECORDS,
  date = new Date().toISOString().slice(0, 10),
): Promise<number> {
  const records = await readRecords(file);
  const updated = updatedRecords(records, since, changes, date);
  const recordOf = recordFinder(records);
  await writeFile(file, updated.map((record) => `${JSON.stringify(record)}\n`).join(''));
  return updated.filter((record) => recordOf(record) === null).length;
}
