import type { ReportHook } from '../../platform/part.ts';
import type { Clock } from '../../shared/clock.ts';
import type { ChangeLog } from '../changes/index.ts';
import { moveIgnoreRules } from './ignore-rule-moves.ts';
import { OpenUpdateStore } from './open-update-store.ts';
import { appliedUpdateOf, createSentStep, describeInstalled } from './update-outcome.ts';
import { includesUpdateType } from './update.ts';

/** Logs each update that an earlier run has sent and that only this report shows as installed, unless a run did. */
export const confirmOpenUpdates =
  ({ clock, changeLog }: { clock: Clock; changeLog: ChangeLog }): ReportHook =>
  async (trx, siteId, report) => {
    const store = new OpenUpdateStore(trx, clock);
    for (const open of await store.of(siteId)) {
      const step = { ...createSentStep(open), after: report };
      const applied = includesUpdateType(report, open) ? appliedUpdateOf(step) : null;
      if (!applied || !(await store.take(siteId, open))) continue;
      const { change, renamed } = describeInstalled(step, applied, { siteId, actor: open.actor });
      const unlogged = await changeLog.withoutLogged(trx, siteId, [change], open.logPosition);
      const moved = await moveIgnoreRules(trx, siteId, renamed, clock.now());
      await changeLog.append(trx, ...unlogged, ...moved);
    }
  };
