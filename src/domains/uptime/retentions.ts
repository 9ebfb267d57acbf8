import type { Knex } from 'knex';
import type { Retention } from '../../platform/part.ts';
import { DAY, type Clock } from '../../shared/clock.ts';
import { dayNumberOf } from './heartbeat.ts';
import { HeartbeatRepository } from './heartbeat-repository.ts';
import { IncidentRepository } from './incident-repository.ts';
import { MonitorSpanRepository } from './monitor-span-repository.ts';

/** Smaller than elsewhere, because the heartbeats of a day are one long text. */
const DAYS_A_TIME = 200;
const FIGURES_KEPT = 2 * 365 * DAY;

export function uptimeRetentions(knex: Knex, clock: Clock, heartbeatDays: () => number): Retention[] {
  const beats = new HeartbeatRepository(knex);
  const incidents = new IncidentRepository(knex);
  const spans = new MonitorSpanRepository(knex);
  return [
    {
      name: 'heartbeats',
      prune: () => beats.prune('heartbeat_days', dayNumberOf(clock.now() - heartbeatDays() * DAY), DAYS_A_TIME),
    },
    {
      name: 'uptime-figures',
      prune: () => beats.prune('monitor_days', dayNumberOf(clock.now() - FIGURES_KEPT), DAYS_A_TIME),
    },
    { name: 'incidents', prune: () => incidents.prune(clock.now() - FIGURES_KEPT) },
    { name: 'monitor-spans', prune: () => spans.prune(clock.now() - FIGURES_KEPT) },
  ];
}
