import { createHash } from 'node:crypto';
import { FeedError } from '../../../shared/errors.ts';
import type { FeedRecord } from '../vulnerability.ts';
import { readOsv } from './osv.ts';
import { readWordfence } from './wordfence.ts';

const FEED_KINDS = ['wordfence', 'osv'] as const;
export type FeedKind = (typeof FEED_KINDS)[number];

/** A feed as the settings name it. */
export interface Feed {
  kind: FeedKind;
  /** An address, or a file or folder below the one that feeds may be read from. */
  location: string;
}

/** Names a feed in jobs and rows: its kind, and a digest of where it is. */
export const feedKey = ({ kind, location }: Feed): string =>
  `${kind}-${createHash('sha256').update(location).digest('hex').slice(0, 12)}`;

export const isAddress = (location: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(location);

/** A record, `other` for one that is nobody's concern here, null for what cannot be read. */
export type Entry = FeedRecord | 'other' | null;

/** How the entries of a feed of each kind are read, and whether it may be empty. */
export const FORMATS: Readonly<
  Record<FeedKind, { read: (key: string, value: unknown) => Entry; mayBeEmpty: boolean }>
> = {
  wordfence: { read: readWordfence, mayBeEmpty: false },
  osv: { read: (_key, value) => readOsv(value), mayBeEmpty: true },
};

export const feedFault = (message: string, cause?: unknown): FeedError =>
  new FeedError('svc_feed_failed', message, {}, { cause });
