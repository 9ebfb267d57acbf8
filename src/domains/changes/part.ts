import type { BaseServices } from '../../platform/base-services.ts';
import { inTransaction } from '../../db/transaction.ts';
import { definePart, type OwnOf } from '../../platform/part.ts';
import { DAY } from '../../shared/clock.ts';
import { ActivityReadModel } from './activity-read-model.ts';
import { ChangeCountRepository } from './change-count-repository.ts';
import { ChangeLog } from './change-log.ts';
import { ChangeMarkRepository } from './change-mark-repository.ts';
import { ChangeReadModel } from './change-read-model.ts';
import { ChildLogStore } from './child-log-store.ts';
import { MonthlyCountsReadModel } from './monthly-counts-read-model.ts';
import { recentItemsSection } from './recent-items-section.ts';

const A_TIME = 500;

/** An entry is replaced by a monthly count after `retentionDays`. */
export function changesPart({ database: { knex }, clock }: BaseServices, retentionDays: () => number) {
  const keptSince = (): number => clock.now() - retentionDays() * DAY;
  let from = 0;
  const prune = async (): Promise<number> => {
    const before = keptSince();
    await inTransaction(knex, ({ trx }) => new ChangeMarkRepository(trx).expireBefore(before));
    const { deleted, lastAt } = await inTransaction(knex, ({ trx }) =>
      new ChangeCountRepository(trx).rollUp(before, A_TIME, from),
    );
    // The next run begins at the start again, because a sync can store a change of any age.
    from = deleted < A_TIME ? 0 : lastAt;
    return deleted;
  };
  const changes = new ChangeReadModel(knex);
  return definePart({
    name: 'changes',
    deletionCounts: [{ of: 'site', effect: 'changes', table: 'changes', column: 'site_id' }],
    own: {
      changes,
      monthly: new MonthlyCountsReadModel(knex, clock),
      activity: new ActivityReadModel(knex),
      changeLog: new ChangeLog(clock),
      childLog: new ChildLogStore(clock, keptSince),
    },
    sections: [recentItemsSection(keptSince)],
    retentions: [{ name: 'changes', prune }],
    stop: () => changes.stop(),
  });
}

export type ChangesServices = OwnOf<typeof changesPart>;
