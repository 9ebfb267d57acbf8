import type { Knex } from 'knex';
import type { Lease } from '../../db/lease.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Change, ChangeLog } from '../changes/index.ts';
import type { SiteWithUrlKey } from '../sites/index.ts';
import type { BrokenSiteRecorder } from './broken-site-recorder.ts';
import type { HealthFinding } from './health-finding.ts';
import { moveRules, type RenamedPlugin } from './rule-moves.ts';
import { OpenUpdateStore } from './open-update-store.ts';
import { isSame, type PendingUpdate } from './update.ts';
import { UpdateRunStore, type StoredOutcome } from './update-run-store.ts';

export interface UpdateRunItem {
  id: number;
  jobId?: string;
  resumed: boolean;
  oneOfMany?: boolean;
  isLimited?: boolean;
  lease: Lease;
}

export interface FinishedRun {
  site: SiteWithUrlKey;
  outcome: StoredOutcome;
  /** Updates that this run planned to send, or whose unknown outcome it checked. */
  sent: readonly PendingUpdate[];
  changes: Change[];
  renamed: readonly RenamedPlugin[];
  item: UpdateRunItem | null;
  finding: HealthFinding | null;
  lease: Lease;
  /**
   * ID of the last entry in the change log before the first update. Later entries may be those of another run or a sync
   * for the same updates. Missing in plans of releases before 0.2.
   */
  logPosition: number | undefined;
  unconfirmed: readonly PendingUpdate[];
}

export interface UpdateRecorderDeps {
  knex: Knex;
  clock: Clock;
  changeLog: ChangeLog;
  brokenSites: BrokenSiteRecorder;
}

export class UpdateRecorder {
  readonly #deps: UpdateRecorderDeps;

  constructor(deps: UpdateRecorderDeps) {
    this.#deps = deps;
  }

  /**
   * Stores the log, the outcome, the finding and the rules of renamed plugins in one transaction, so that a resumed
   * attempt reports nothing twice. An update that another run has logged meanwhile gets no second entry. Throws
   * `LeaseLostError`, and stores nothing, if another process may have taken over the work.
   */
  async store(run: FinishedRun): Promise<void> {
    const { site, outcome, sent, changes, renamed, unconfirmed, item, finding, lease, logPosition } = run;
    const { knex, clock, changeLog, brokenSites } = this.#deps;
    if (!item && changes.length === 0 && !finding && sent.length === 0) return;
    await inTransaction(knex, async ({ trx }) => {
      await lease.lock(trx);
      // Delete before reading the log: the deletion waits for a sync that is logging the same update.
      const settled = sent.filter((update) => !unconfirmed.some((each) => isSame(each, update)));
      await new OpenUpdateStore(trx, clock).remove(site.id, settled);
      if (item) await new UpdateRunStore(trx).end(item.id, outcome);
      const isNew = logPosition === undefined || changes.length === 0;
      const unlogged = isNew ? changes : await changeLog.withoutLogged(trx, site.id, changes, logPosition);
      const moved = await moveRules(trx, site.id, renamed, clock.now());
      if (unlogged.length + moved.length > 0) await changeLog.append(trx, ...unlogged, ...moved);
      if (finding) await brokenSites.record(trx, finding);
    });
  }
}
