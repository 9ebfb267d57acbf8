import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { OutboundError, type Outbound, type OutboundResponse } from '../../../outbound/outbound.ts';
import { SECOND } from '../../../shared/clock.ts';
import { feedFault, isFeedUrl, type Feed } from './feed.ts';
import { findLocalFeed } from './local-feed.ts';

/** `mark` identifies the version of the feed. Null if the feed has not changed. */
export type FetchedFeed = { files: readonly string[]; mark: string } | null;

export interface FeedFetcherDeps {
  outbound: Pick<Outbound, 'request'>;
  folder: string | null;
  deadlineMs: number;
  maxBytes: () => number;
  wordfenceKey: () => Promise<string | null>;
}

const CONNECT_TIMEOUT = 10 * SECOND;
const MAX_REDIRECTS = 3;
/** Increment this when records are parsed in another way, so that every feed is read again. */
const FORM = 2;

interface Mark {
  form: number;
  etag?: string | undefined;
  modified?: string | undefined;
}

/** Gets feeds from URLs through `outbound/`, which checks each address, and from files only in the feed folder. */
export class FeedFetcher {
  readonly #deps: FeedFetcherDeps;

  constructor(deps: FeedFetcherDeps) {
    this.#deps = deps;
  }

  fetch(feed: Feed, mark: string, scratch: string, signal: AbortSignal): Promise<FetchedFeed> {
    return isFeedUrl(feed.location) ? this.#download(feed, mark, scratch, signal) : this.#local(feed.location, mark);
  }

  async #download(feed: Feed, before: string, scratch: string, signal: AbortSignal): Promise<FetchedFeed> {
    const { outbound, deadlineMs, maxBytes } = this.#deps;
    const path = join(scratch, 'feed.json');
    const file = createWriteStream(path);
    // The request listens for errors only after the host name was resolved. Until then, an error would end the process.
    file.on('error', () => undefined);
    const condition = conditionalHeaders(before);
    try {
      const answer = await outbound.request({
        url: feed.location,
        method: 'GET',
        headers: { accept: 'application/json', ...condition, ...(await this.#credential(feed)) },
        connectTimeoutMs: CONNECT_TIMEOUT,
        deadlineMs,
        maxBytes: maxBytes(),
        maxRedirects: MAX_REDIRECTS,
        bodyTo: file,
        signal,
      });
      if (answer.status === 304 && Object.keys(condition).length > 0) return null;
      if (answer.status !== 200) throw feedFault(statusMessage(answer.status));
      await finished(file.end());
      return { files: [path], mark: markOf(answer) };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof OutboundError) throw feedFault(`The feed could not be loaded: ${error.message}`, error);
      throw error;
    } finally {
      file.destroy();
    }
  }

  async #credential({ kind }: Feed): Promise<Record<string, string>> {
    const key = kind === 'wordfence' ? await this.#deps.wordfenceKey() : null;
    return key === null ? {} : { authorization: `Bearer ${key}` };
  }

  async #local(location: string, before: string): Promise<FetchedFeed> {
    const { files, modified } = await findLocalFeed(this.#deps.folder, location, this.#deps.maxBytes());
    const mark = JSON.stringify({ form: FORM, modified } satisfies Mark);
    return mark === before ? null : { files, mark };
  }
}

function conditionalHeaders(before: string): Record<string, string> {
  if (before === '') return {};
  const { form, etag, modified } = JSON.parse(before) as Mark;
  if (form !== FORM) return {};
  return { ...(etag && { 'if-none-match': etag }), ...(modified && { 'if-modified-since': modified }) };
}

/** If a response has neither `ETag` nor `Last-Modified`, the feed is read every time, and its records are compared. */
function markOf({ headers }: OutboundResponse): string {
  const text = (name: string): string | undefined => {
    const value = headers[name];
    return typeof value === 'string' && value.length <= 400 ? value : undefined;
  };
  return JSON.stringify({ form: FORM, etag: text('etag'), modified: text('last-modified') } satisfies Mark);
}

function statusMessage(status: number): string {
  if (status === 401) return 'The feed rejected the key (401).';
  if (status === 403) return 'The feed rejected the call (403).';
  if (status === 429) return 'The feed limits the number of requests (429). The next refresh tries again.';
  return `The feed answered with the status ${status}.`;
}
