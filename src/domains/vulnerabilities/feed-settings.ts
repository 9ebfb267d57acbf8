import type { SettingsService } from '../settings/index.ts';
import { feedKey, isFeedUrl, type Feed, type FeedKind } from './feeds/feed.ts';

export type CurrentSettingsReader = Pick<SettingsService, 'current'>;

const SOURCES = ['none', 'wordfence', 'osv', 'several'] as const;
export type VulnerabilitySource = (typeof SOURCES)[number];

/** Leaves out a Wordfence feed that has a URL if its API key is not set. A file needs no key. */
export function configuredFeeds(settings: CurrentSettingsReader): Feed[] {
  const {
    wordfence_api_key_set: hasKey,
    wordfence_url: wordfence,
    osv_sources: osv,
  } = settings.current('vulnerabilities');
  const feeds: Feed[] = [
    ...(hasKey || !isFeedUrl(wordfence.trim()) ? [{ kind: 'wordfence' as const, location: wordfence.trim() }] : []),
    ...osv.map((location) => ({ kind: 'osv' as const, location: location.trim() })),
  ].filter(({ location }) => location !== '');
  return [...new Map(feeds.map((feed) => [feedKey(feed), feed])).values()];
}

export function vulnerabilitySourceOf(feeds: readonly Feed[]): VulnerabilitySource {
  const kinds = new Set<FeedKind>(feeds.map(({ kind }) => kind));
  const [kind = 'none'] = kinds;
  return kinds.size > 1 ? 'several' : kind;
}
