import type { Knex } from 'knex';
import type { ChildLogEntry } from '../../connector/child-site.ts';
import { chunksBySize } from '../../db/chunks.ts';
import { DAY, SECOND, type Clock } from '../../shared/clock.ts';
import type { ReportedLog, ReportedLogStore, SiteStatePatch } from '../sites/index.ts';
import { convertFirstActionsToCreations, dropDuplicateLogRows } from './child-log-corrections.ts';
import { mergeSaves } from './child-log-saves.ts';
import { insertUnknownChanges, toChangedObjectColumns, type NewChangeRow } from './change-repository.ts';
import { convertInsertions, dropListedCreations } from './unlogged-creations.ts';

/**
 * Latest time of an entry: the last second that an ISO date with a four-digit year can express. Later times become this
 * one.
 */
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59);

const UNNAMED = 'other';

/** Maximum number of entries of several sites that are stored together, because they are compared in one go. */
const ENTRIES_A_TURN = 1_000;

/** An entry may arrive several times and is stored once. */
export class ChildLogStore implements ReportedLogStore {
  readonly #clock: Clock;
  readonly #retainedSince: () => number;

  constructor(clock: Clock, keptSince: () => number) {
    this.#clock = clock;
    this.#retainedSince = keptSince;
  }

  async store(trx: Knex.Transaction, logs: readonly ReportedLog[]): Promise<Map<number, SiteStatePatch>> {
    const read = logs.filter(({ entries, changesRead }) => entries.length > 0 || changesRead > 0);
    // An older entry may already be part of a monthly count. Storing it again would count it twice.
    const keptSince = this.#retainedSince();
    for (const some of chunksBySize(read, ({ entries }) => entries.length, ENTRIES_A_TURN)) {
      const rows = some.flatMap(({ siteId, entries }) =>
        entries
          .filter(({ at }) => at >= keptSince)
          .map((entry) => ({ row: toRow(siteId, entry), status: entry.insertedStatus })),
      );
      if (rows.length > 0) await storeRows(trx, rows);
    }
    return new Map(read.map((log) => [log.siteId, this.#advance(log)]));
  }

  /**
   * Returns the new positions in the logs. Ignores positions more than a day in the future: a child whose clock was
   * wrong once would otherwise skip all entries that it logs after the correction.
   */
  #advance({ entries, changesRead, stored }: ReportedLog): SiteStatePatch {
    const horizon = this.#clock.now() + DAY;
    const within = (seconds: number): number => (seconds * SECOND <= horizon ? seconds : 0);
    const read = entries.map(({ at, cursor }) => (cursor === null || at > horizon ? 0 : within(cursor)));
    return {
      actions_cursor: read.reduce((newest, cursor) => Math.max(newest, cursor), stored.actionsCursor),
      changes_cursor: Math.max(stored.changesCursor, within(changesRead)),
    };
  }
}

/** Stores new entries. `status` is the status of a post that a program may have inserted. */
async function storeRows(
  trx: Knex.Transaction,
  read: readonly { row: NewChangeRow; status: string | undefined }[],
): Promise<void> {
  const statuses = new Map(read.flatMap(({ row, status }) => (status === undefined ? [] : [[row, status] as const])));
  const unique = await dropDuplicateLogRows(
    trx,
    read.map(({ row }) => row),
  );
  const known = await convertInsertions(trx, unique, statuses);
  const rows = await mergeSaves(trx, known);
  await dropListedCreations(trx, rows);
  await insertUnknownChanges(trx, await convertFirstActionsToCreations(trx, rows));
}

function toRow(
  siteId: number,
  { source, externalId, context, action, summary, thing, user, at }: ChildLogEntry,
): NewChangeRow {
  return {
    site_id: siteId,
    source,
    external_id: externalId,
    type: `${context || UNNAMED}.${action || UNNAMED}`,
    description: summary,
    actor: user,
    ...toChangedObjectColumns(thing),
    at: Math.min(Math.max(0, Math.floor(at)), LATEST),
  };
}
