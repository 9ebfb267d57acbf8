import type { Knex } from 'knex';
import type { Lease } from '../../db/lease.ts';
import type { Schedule } from '../../platform/part.ts';
import {
  createUnvalidatedParser,
  defineJobKind,
  noInput,
  type JobKind,
  type NoInput,
  type Queue,
} from '../../queue/index.ts';
import type { Clock } from '../../shared/clock.ts';
import type { ModuleService } from '../modules/index.ts';
import type { SettingsService } from '../settings/index.ts';
import type { FeedRefresh } from './feed-refresh.ts';
import { FeedRepository } from './feed-repository.ts';
import { configuredFeeds } from './feed-settings.ts';
import { feedFault, feedKey, type FeedKind } from './feeds/feed.ts';
import type { ExposureMatcher, ExposureMatchCounts } from './exposure-matcher.ts';

export interface FeedRefreshJobResult {
  feed: FeedKind;
  location: string;
  records: number;
  skipped: number;
  written: number;
  withdrawn: number;
  found: number;
  ended: number;
}

export const parseFeedRefreshJobResult = createUnvalidatedParser<FeedRefreshJobResult>();

export interface FeedRefreshJobDeps {
  knex: Knex;
  clock: Clock;
  queue: Queue;
  settings: Pick<SettingsService, 'current'>;
  refresh: FeedRefresh;
  matching: ExposureMatcher;
  modules: Pick<ModuleService, 'whileActive'>;
}

export class FeedRefreshJob {
  readonly #deps: FeedRefreshJobDeps;
  readonly job: JobKind<NoInput, FeedRefreshJobResult, 'other'>;

  constructor(deps: FeedRefreshJobDeps) {
    this.#deps = deps;
    const job = defineJobKind({
      name: 'refresh-vulnerabilities',
      about: 'other',
      input: noInput,
      result: parseFeedRefreshJobResult,
      // An aborted refresh may leave records out. The next refresh writes them.
      whenCancelled: 'abort',
      retryPermission: null,
      perform: ({ subject, lease, signal }) => this.#perform(String(subject), lease, signal),
    });
    this.job = deps.modules.whileActive('vulnerabilities', job);
  }

  readonly schedule: Schedule = {
    name: 'vulnerability-refresh',
    module: 'vulnerabilities',
    description: 'Reads the vulnerability feeds that have changed, and finds the sites that they expose.',
    timing: () => {
      const { refresh_hours: hours } = this.#deps.settings.current('vulnerabilities');
      const { timezone_string: timeZone } = this.#deps.settings.current('general');
      return { pattern: hours === 24 ? '17 3 * * *' : `17 */${hours} * * *`, timeZone };
    },
    begin: async ({ scope, requestedBy }) => {
      const feeds = new FeedRepository(scope.trx);
      const wanted = configuredFeeds(this.#deps.settings);
      for (const feed of wanted) await feeds.ensure(feed);
      const left = (await feeds.list()).filter(({ records, mark }) => records > 0 || mark !== '');
      const items = [...new Set([...wanted, ...left].map(feedKey))].map((identifier) => ({ identifier }));
      if (items.length === 0) return null;
      return this.#deps.queue.enqueue(scope, this.job, { input: {}, items, requestedBy });
    },
  };

  /** Compares the software of the sites. Stores an error with the feed: without a comparison, all sites look safe. */
  async #match(feed: { id: number }, signal: AbortSignal): Promise<ExposureMatchCounts> {
    const { knex, clock, matching } = this.#deps;
    try {
      return await matching.matchDue(signal);
    } catch (error) {
      const message = 'The feed was read, but the software of the sites could not be compared with it.';
      if (!signal.aborted) await new FeedRepository(knex).patch(feed.id, { error: message, errorAt: clock.now() });
      throw error;
    }
  }

  async #perform(key: string, lease: Lease, signal: AbortSignal): Promise<FeedRefreshJobResult> {
    const { knex, settings, refresh, matching } = this.#deps;
    const feed = await new FeedRepository(knex).byKey(key);
    if (!feed) throw feedFault('The settings no longer contain this feed.');
    const isWanted = configuredFeeds(settings).some((each) => feedKey(each) === key);
    let done;
    try {
      done = isWanted ? await refresh.refresh(feed, lease, signal) : await refresh.empty(feed, lease);
    } catch (error) {
      // Syncs may have left software to compare, even if the feed cannot be read.
      if (!signal.aborted) await matching.matchDue(signal);
      throw error;
    }
    const { records, skipped, written, withdrawn } = done;
    const { kind, location } = feed;
    return { feed: kind, location, records, skipped, written, withdrawn, ...(await this.#match(feed, signal)) };
  }
}
