import type { ChangesPage, ChangesWindow } from '../../connector/child-site.ts';
import { SECOND } from '../../shared/clock.ts';

/** Entries of one page; more where a single second has to come whole. */
const PAGE = 1_000;
const WINDOW_PAGE = 2_500;

export const pageLimit = ({ until }: ChangesWindow): number => (until === null ? PAGE : WINDOW_PAGE);

/** Where the changes log is read on; all that is later than nothing and earlier than `since` has been read. */
export interface Reading extends ChangesWindow {
  /** Nothing more waits. */
  done: boolean;
}

/** A child's clock counts in microseconds. */
const MICROSECOND = 1e-6;

/**
 * Where to read on after a page. Of the time of an entry only the whole second is true: a fraction that begins with
 * zeros loses them on the way, so that a position taken from one may lie behind entries that were not sent. Positions
 * are therefore whole seconds, or ends of windows that were asked for and came whole. The second of a position is read
 * again; what is known then is passed over by its ID.
 */
export function readOn({ since, until }: ChangesWindow, { entries, full }: ChangesPage): Reading {
  const newest = entries.reduce((second, { at }) => Math.max(second, Math.floor(at / SECOND)), 0);
  if (!full) {
    if (until === null) return { since: Math.max(since, newest), until: null, done: true };
    return { since: until - MICROSECOND, until: null, done: false };
  }
  // The oldest come first: what is older than the newest second is all there.
  if (until === null && newest > Math.floor(since)) return { since: newest, until: null, done: false };
  const narrower = until === null ? Math.floor(since) + 1 : since + (until - since) / 2;
  // What shares a microsecond cannot be told apart by any window.
  if (narrower - since < 2 * MICROSECOND) return { since: until ?? narrower, until: null, done: false };
  return { since, until: narrower, done: false };
}
