import type { Knex } from 'knex';
import type { Retention } from '../../platform/part.ts';
import { DAY, type Clock } from '../../shared/clock.ts';
import { ExposureRepository } from './exposure-repository.ts';
import { FeedRepository } from './feed-repository.ts';

const A_TIME = 200;
const EXPOSURES_KEPT = 2 * 365 * DAY;
const WITHDRAWN_KEPT = 30 * DAY;

export const vulnerabilityRetentions = (knex: Knex, clock: Clock): Retention[] => [
  {
    name: 'exposures',
    prune: () => new ExposureRepository(knex).pruneEnded(clock.now() - EXPOSURES_KEPT, A_TIME),
  },
  {
    name: 'withdrawn-vulnerabilities',
    prune: () => new FeedRepository(knex).pruneWithdrawn(clock.now() - WITHDRAWN_KEPT, A_TIME),
  },
];
