import type { ChildStats } from '../../connector/child-site.ts';
import type { ReportHook } from '../../platform/part.ts';
import { MINUTE, type Clock } from '../../shared/clock.ts';
import type { ChangeLog } from '../changes/index.ts';
import { moveRules } from './rule-moves.ts';
import { OpenUpdateStore, type OpenUpdate } from './open-update-store.ts';
import { appliedUpdateOf, createSentStep, describeInstalled } from './update-outcome.ts';
import { includesUpdateType } from './update.ts';

/** No site works this long on an update. A version that appears later was installed by somebody else. */
const MAY_TAKE = 20 * MINUTE;

/** Logs the updates that earlier runs sent and that reports show as installed, unless they are logged already. */
export const confirmOpenUpdates = ({ clock, changeLog }: { clock: Clock; changeLog: ChangeLog }): ReportHook => ({
  waiting: () => OpenUpdateStore.waiting(clock),
  async run(trx, reports) {
    const store = new OpenUpdateStore(trx, clock);
    const confirm = async (siteId: number, report: ChildStats, open: OpenUpdate): Promise<void> => {
      if (!includesUpdateType(report, open)) return;
      const step = { ...createSentStep(open), after: report };
      const applied = appliedUpdateOf(step);
      if (!applied) {
        if (clock.now() - open.sentAt > MAY_TAKE) await store.remove(siteId, [open]);
        return;
      }
      if (!(await store.markLogged(siteId, open))) return;
      const { change, renamed } = describeInstalled(step, applied, { siteId, actor: open.actor });
      const unlogged = await changeLog.withoutLogged(trx, siteId, [change], open.logPosition);
      const moved = await moveRules(trx, siteId, renamed, clock.now());
      await changeLog.append(trx, ...unlogged, ...moved);
    };
    for (const [siteId, updates] of await store.unlogged([...reports.keys()]))
      for (const open of updates) await confirm(siteId, reports.get(siteId) as ChildStats, open);
  },
});
