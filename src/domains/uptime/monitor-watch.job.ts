import { createUnvalidatedParser, defineJobKind, noInput, type JobKind, type NoInput } from '../../queue/index.ts';
import { HOUR } from '../../shared/clock.ts';
import type { MonitorWatch, WatchResult } from './monitor-watch.ts';

export type WatchJob = JobKind<NoInput, WatchResult, 'other'>;
export const parseWatchResult = createUnvalidatedParser<WatchResult>();

/** Retention of ended jobs. There is one job per minute, and its results are stored in the monitors. */
const KEPT_FOR = HOUR;

/**
 * Checks due monitors, up to a few hundred per item. An item selects its monitors when it begins, so that an
 * interrupted item does not repeat recorded checks.
 */
export const watchJob = (watch: Pick<MonitorWatch, 'checkSome'>): WatchJob =>
  defineJobKind({
    name: 'uptime-check',
    about: 'other',
    input: noInput,
    result: parseWatchResult,
    keptForMs: KEPT_FOR,
    whenCancelled: 'abort',
    retryPermission: 'checks:run',
    perform: ({ item, signal }) => watch.checkSome(item.id, signal),
  });
