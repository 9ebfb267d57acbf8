import { asWritten, jobKind, noInput, type JobKind, type NoInput } from '../../queue/index.ts';
import { HOUR } from '../../shared/clock.ts';
import type { MonitorWatch, Watched } from './monitor-watch.ts';

export type WatchJob = JobKind<NoInput, Watched, 'other'>;
export const watchResult = asWritten<Watched>();

/** There is one a minute, and what it found stands with the monitors. */
const KEPT_FOR = HOUR;

/**
 * Checks the monitors that are due, some hundred an item. Which ones is found when the item begins, so that one that
 * was interrupted does not check anew what was recorded.
 */
export const watchJob = (watch: Pick<MonitorWatch, 'checkSome'>): WatchJob =>
  jobKind({
    name: 'uptime-check',
    about: 'other',
    input: noInput,
    result: watchResult,
    keptForMs: KEPT_FOR,
    whenCancelled: 'abort',
    perform: ({ item, signal }) => watch.checkSome(item.id, signal),
  });
