import type { ReportHook } from '../../platform/part.ts';
import { MINUTE, type Clock } from '../../shared/clock.ts';
import type { ChangeLog } from '../changes/index.ts';
import { moveRules } from './rule-moves.ts';
import { OpenUpdateStore } from './open-update-store.ts';
import { appliedUpdateOf, createSentStep, describeInstalled } from './update-outcome.ts';
import { includesUpdateType } from './update.ts';

/** No site works this long on an update. A version that appears later was installed by somebody else. */
const MAY_TAKE = 20 * MINUTE;

/** Logs each update that an earlier run sent and that `report` shows as installed, unless it is logged already. */
export const confirmOpenUpdates = ({ clock, changeLog }: { clock: Clock; changeLog: ChangeLog }): ReportHook => ({
  waiting: () => OpenUpdateStore.waiting(clock),
  async run(trx, siteId, report) {
    const store = new OpenUpdateStore(trx, clock);
    for (const open of await store.of(siteId, { logged: false })) {
      if (!includesUpdateType(report, open)) continue;
      const step = { ...createSentStep(open), after: report };
      const applied = appliedUpdateOf(step);
      if (!applied) {
        if (clock.now() - open.sentAt > MAY_TAKE) await store.remove(siteId, [open]);
        continue;
      }
      if (!(await store.markLogged(siteId, open))) continue;
      const { change, renamed } = describeInstalled(step, applied, { siteId, actor: open.actor });
      const unlogged = await changeLog.withoutLogged(trx, siteId, [change], open.logPosition);
      const moved = await moveRules(trx, siteId, renamed, clock.now());
      await changeLog.append(trx, ...unlogged, ...moved);
    }
  },
});
