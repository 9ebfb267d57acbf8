import { part } from '../../part.ts';
import type { Platform } from '../../platform.ts';
import type { ChangesServices } from '../changes/index.ts';
import { CostReadModel } from './cost-read-model.ts';
import { CostTargetRepository } from './cost-repository.ts';
import { CostService } from './cost-service.ts';

/** What sites cost. */
export const costsPart = ({ knex, clock }: Platform, { changes: { changeLog } }: { changes: ChangesServices }) =>
  part({
    name: 'costs',
    own: { costs: new CostService({ knex, clock, changeLog }), siteCosts: new CostReadModel(knex, clock) },
    onSiteDeleted: [(trx, siteId) => new CostTargetRepository(trx).drop('site', siteId)],
  });
