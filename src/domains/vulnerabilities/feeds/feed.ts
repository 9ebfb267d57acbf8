import { createHash } from 'node:crypto';
import { FeedError } from '../../../shared/errors.ts';
import type { FeedRecord } from '../vulnerability.ts';
import { readOsv } from './osv.ts';
import { readWordfence } from './wordfence.ts';

const FEED_KINDS = ['wordfence', 'osv'] as const;
export type FeedKind = (typeof FEED_KINDS)[number];

export interface Feed {
  kind: FeedKind;
  /** A URL, or the path of a file or folder below the feed folder. */
  location: string;
}

export const feedKey = ({ kind, location }: Feed): string =>
  `${kind}-${createHash('sha256').update(location).digest('hex').slice(0, 12)}`;

export const isFeedUrl = (location: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(location);

/** A record, `other` if it was withdrawn or is not about WordPress software, or null if it cannot be parsed. */
export type ParsedFeedEntry = FeedRecord | 'other' | null;

export const FORMATS: Readonly<
  Record<FeedKind, { read: (key: string, value: unknown) => ParsedFeedEntry; mayBeEmpty: boolean }>
> = {
  wordfence: { read: readWordfence, mayBeEmpty: false },
  osv: { read: (_key, value) => readOsv(value), mayBeEmpty: true },
};

export const feedFault = (message: string, cause?: unknown): FeedError =>
  new FeedError('svc_feed_failed', message, {}, { cause });
