import { definePart, type OwnOf } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import type { ChangesServices } from '../changes/index.ts';
import type { MailServices } from '../mail/index.ts';
import { dailyTimingAt } from '../schedules/index.ts';
import { currencyDecimals, type SettingsServices } from '../settings/index.ts';
import { CostOptionService } from './cost-option-service.ts';
import { CostShareReadModel } from './cost-share-read-model.ts';
import { CostRenewals } from './cost-renewals.ts';
import { CostTargetRepository } from './cost-repository.ts';
import { CostService } from './cost-service.ts';

interface CostsPartDeps {
  changes: ChangesServices;
  mail: MailServices;
  settings: SettingsServices;
}

export function costsPart(
  { knex, clock, queue }: Platform,
  { changes: { changeLog }, mail: { alerts }, settings: { settings, formats } }: CostsPartDeps,
) {
  const today = () => formats.dayOf(clock.now());
  const context = { today, currencyDecimals: () => currencyDecimals(settings.current('cost-tracker').currency) };
  const timing = () => dailyTimingAt('0:20', settings.current('general'));
  const renewals = new CostRenewals({
    knex,
    clock,
    today,
    queue,
    changeLog,
    alerts,
    timing,
    noticeDays: () => settings.current('cost-tracker').renewal_notice_days,
  });
  return definePart({
    name: 'costs',
    deletionCounts: [
      { of: 'site', effect: 'costs', table: 'cost_targets', column: 'target_id', where: { kind: 'site' } },
      { of: 'client', effect: 'costs', table: 'cost_targets', column: 'target_id', where: { kind: 'client' } },
      { of: 'tag', effect: 'costs', table: 'cost_targets', column: 'target_id', where: { kind: 'tag' } },
    ],
    own: {
      costs: new CostService({ knex, clock, ...context, changeLog }),
      options: new CostOptionService({ knex, clock, changeLog }),
      siteCosts: new CostShareReadModel(knex, context),
    },
    jobs: [renewals.job],
    schedules: [renewals.schedule],
    onSiteDeleted: [(trx, siteId) => new CostTargetRepository(trx).remove('site', siteId)],
  });
}

export type CostsServices = OwnOf<typeof costsPart>;
