import type { Knex } from 'knex';
import type { ChildLogEntry, ChildStats } from '../../connector/child-site.ts';
import { DAY, SECOND, type Clock } from '../../shared/clock.ts';
import type { SiteStatePatch, SyncLog } from '../sites/index.ts';
import { ChangeRepository, type LogCursors, type NewChangeRow } from './change-repository.ts';

/** Last second that an ISO date with four digits of year can name. */
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59);

/** Stands where a child leaves half of a type empty. */
const UNNAMED = 'other';

/** Keeps both logs of a child. The same entry may come any number of times and is stored once. */
export class ChildLog implements SyncLog {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Stores what is new, and answers up to where each log is stored now. */
  async store(trx: Knex.Transaction, siteId: number, stats: ChildStats): Promise<SiteStatePatch> {
    const { logs = [], moreChanges } = stats;
    if (logs.length === 0) return {};
    const repository = new ChangeRepository(trx);
    await repository.insertUnknown(logs.map((entry) => toRow(siteId, entry)));
    const before = await repository.cursors(siteId);
    const after = this.#move(before, logs);
    // The changes log is asked for by whole seconds. A second with more entries than one answer holds would be sent again and
    // again, so it is left with what it brought.
    const stuck = moreChanges && after.changes === before.changes;
    return { actions_cursor: after.actions, changes_cursor: after.changes + (stuck ? 1 : 0) };
  }

  /** A child whose clock once stood in the future must not hide what it logs after it was set right. */
  #move(before: LogCursors, logs: readonly ChildLogEntry[]): LogCursors {
    const horizon = this.#clock.now() + DAY;
    const after = { ...before };
    for (const { source, at, cursor } of logs) {
      if (at > horizon) continue;
      if (source === 'child_changes') after.changes = Math.max(after.changes, Math.floor(at / SECOND));
      else if (cursor !== null && cursor * SECOND <= horizon) after.actions = Math.max(after.actions, cursor);
    }
    return after;
  }
}

function toRow(
  siteId: number,
  { source, externalId, context, action, summary, user, at }: ChildLogEntry,
): NewChangeRow {
  return {
    site_id: siteId,
    source,
    external_id: externalId,
    type: `${context || UNNAMED}.${action || UNNAMED}`,
    description: summary,
    actor: user,
    at: Math.min(Math.max(0, Math.floor(at)), LATEST),
  };
}
