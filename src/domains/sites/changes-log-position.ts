import type { ChangesPage, ChangesWindow, ChildStats } from '../../connector/child-site.ts';
import { SECOND } from '../../shared/clock.ts';

/**
 * Maximum number of entries in a response. A page of a window (`until` is set) may be larger, so that all entries of
 * one second can fit into it.
 */
const PAGE = 1_000;
const WINDOW_PAGE = 2_500;

export const pageLimit = ({ until }: ChangesWindow): number => (until === null ? PAGE : WINDOW_PAGE);

/** Position in the changes log of a child. Entries before `since` have been read. `done`: there are no later ones. */
export interface ChangesLogPosition extends ChangesWindow {
  done: boolean;
}

/** Resolution of a child's clock, in seconds. */
const MICROSECOND = 1e-6;

/**
 * Returns the position in the changes log after a page of entries. Only the whole second of an entry's time is
 * reliable: the child drops leading zeros of the fraction (protocol 4.9), so a position taken from it may skip entries
 * that were not sent. Positions are therefore whole seconds, or ends of windows that were read completely. The second
 * of a position is read again, and entries that are already stored are recognized by their ID.
 */
export function nextPosition({ since, until }: ChangesWindow, { entries, full }: ChangesPage): ChangesLogPosition {
  const newest = entries.reduce((second, { at }) => Math.max(second, Math.floor(at / SECOND)), 0);
  if (!full) {
    if (until === null) return { since: Math.max(since, newest), until: null, done: true };
    return { since: until - MICROSECOND, until: null, done: false };
  }
  // The child sends the oldest entries first, so all entries before the newest second have arrived.
  if (until === null && newest > Math.floor(since)) return { since: newest, until: null, done: false };
  const narrower = until === null ? Math.floor(since) + 1 : since + (until - since) / 2;
  // No window can separate entries that share a microsecond, so reading continues after this microsecond.
  if (narrower - since < 2 * MICROSECOND) return { since: until ?? narrower, until: null, done: false };
  return { since, until: narrower, done: false };
}

/** Returns the position in the changes log after the entries of a report, whose request had the position `since`. */
export function changesLogPositionAfter({ logs = [], moreChanges }: ChildStats, since: number): ChangesLogPosition {
  const entries = logs.filter(({ source }) => source === 'child_changes');
  return nextPosition({ since, until: null }, { entries, full: moreChanges });
}
