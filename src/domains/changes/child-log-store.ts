import type { Knex } from 'knex';
import type { ChildLogEntry } from '../../connector/child-site.ts';
import { DAY, SECOND, type Clock } from '../../shared/clock.ts';
import type { SiteStatePatch, ReportedLogStore } from '../sites/index.ts';
import { convertFirstActionsToCreations, dropDuplicateLogRows } from './child-log-corrections.ts';
import { mergeSaves } from './child-log-saves.ts';
import { ChangeRepository, toChangedObjectColumns, type LogCursors, type NewChangeRow } from './change-repository.ts';
import { ListedCreationRepository } from './listed-creation-repository.ts';
import { convertInsertions, dropListedCreations } from './unlogged-creations.ts';

/**
 * Latest time of an entry: the last second that an ISO date with a four-digit year can express. Later times become this
 * one.
 */
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59);

const UNNAMED = 'other';

/** An entry may arrive several times and is stored once. */
export class ChildLogStore implements ReportedLogStore {
  readonly #clock: Clock;
  readonly #retainedSince: () => number;

  constructor(clock: Clock, keptSince: () => number) {
    this.#clock = clock;
    this.#retainedSince = keptSince;
  }

  async store(
    trx: Knex.Transaction,
    siteId: number,
    entries: readonly ChildLogEntry[],
    changesRead: number,
  ): Promise<SiteStatePatch> {
    if (entries.length === 0 && changesRead === 0) return {};
    const repository = new ChangeRepository(trx);
    // An older entry may already be part of a monthly count. Storing it again would count it twice.
    const keptSince = this.#retainedSince();
    const young = entries.filter(({ at }) => at >= keptSince);
    const read = young.map((entry) => ({ row: toRow(siteId, entry), status: entry.insertedStatus }));
    const statuses = new Map(read.flatMap(({ row, status }) => (status === undefined ? [] : [[row, status] as const])));
    const unique = await dropDuplicateLogRows(
      repository,
      siteId,
      read.map(({ row }) => row),
    );
    const listed = new ListedCreationRepository(trx);
    const known = await convertInsertions({ listed, changes: repository }, siteId, unique, statuses);
    const rows = await mergeSaves(repository, siteId, known);
    await dropListedCreations(listed, siteId, rows);
    await repository.insertUnknown(await convertFirstActionsToCreations(repository, siteId, rows));
    const { actions, changes } = this.#advance(await repository.cursors(siteId), entries, changesRead);
    return { actions_cursor: actions, changes_cursor: changes };
  }

  /**
   * Returns the new positions in the logs. Ignores positions more than a day in the future: a child whose clock was
   * wrong once would otherwise skip all entries that it logs after the correction.
   */
  #advance(before: LogCursors, entries: readonly ChildLogEntry[], changesRead: number): LogCursors {
    const horizon = this.#clock.now() + DAY;
    const within = (seconds: number): number => (seconds * SECOND <= horizon ? seconds : 0);
    const read = entries.map(({ at, cursor }) => (cursor === null || at > horizon ? 0 : within(cursor)));
    return {
      actions: read.reduce((newest, cursor) => Math.max(newest, cursor), before.actions),
      changes: Math.max(before.changes, within(changesRead)),
    };
  }
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
