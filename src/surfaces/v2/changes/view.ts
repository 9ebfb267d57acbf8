import type { components, operations } from '../../../../generated/v2.ts';
import {
  formatMonth,
  type ChangeFilter,
  type ChangeSource,
  type ChangeWithSite,
  type FleetChangeFilter,
  type LoggedChange,
  type MonthlyCount,
} from '../../../domains/changes/index.ts';
import { SECOND, toIso } from '../../../shared/clock.ts';
import { dropEmptyFilters } from '../query-helpers.ts';
import { siteReferenceView } from '../sites/view.ts';

type Source = components['schemas']['SiteChange']['source'];

/**
 * Maps a source that callers see to the sources in the change log. `child_lists` has creations that a sync found in the
 * lists of a site, but in neither of its two logs.
 */
const SOURCES: Readonly<Record<Source, readonly ChangeSource[]>> = {
  wpadmin: ['child_actions', 'child_changes', 'child_lists'],
  dashboard: ['dashboard'],
};

export const changeFilterOf = ({
  source,
  contexts,
  actions,
}: {
  source: Source | 'all';
  contexts?: string[];
  actions?: string[];
}): ChangeFilter => ({
  ...dropEmptyFilters({ contexts, actions }),
  ...(source === 'all' ? {} : { sources: SOURCES[source] }),
});

export function fleetChangeFilterOf(
  query: NonNullable<operations['changes_list']['parameters']['query']> & { source: Source | 'all' },
): FleetChangeFilter {
  const { scope, site_id: siteId, client_id: clientId, type, actor, since, until } = query;
  return {
    ...changeFilterOf(query),
    ...dropEmptyFilters({
      siteId,
      clientId,
      type,
      actor,
      since: parseOptionalTime(since),
      until: parseOptionalTime(until),
    }),
    ...(scope === 'sites' || scope === 'service' ? { about: scope } : {}),
  };
}

const parseOptionalTime = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Date.parse(text);

export const fleetChangeView = ({ site, ...change }: ChangeWithSite): components['schemas']['Change'] => ({
  ...changeView(change),
  site: site && siteReferenceView(site),
});

export function changeView({
  id,
  type,
  description,
  actor,
  source,
  at,
  name,
  key,
  before,
  after,
}: LoggedChange): components['schemas']['SiteChange'] {
  return {
    id,
    ...splitChangeType(type),
    description,
    name,
    key,
    before: { ...before },
    after: { ...after },
    user: actor,
    source: sourceView(source),
    timestamp: toIso(at),
    created: Math.floor(at / SECOND),
  };
}

/** Adds up the counts from the logs and lists of a child site, because callers see these sources as one. */
export function monthlyChangesView(counts: readonly MonthlyCount[]): components['schemas']['SiteMonthlyChanges'][] {
  const views = new Map<string, components['schemas']['SiteMonthlyChanges']>();
  for (const { month, type, source, count } of counts) {
    const view = { month: formatMonth(month), ...splitChangeType(type), source: sourceView(source), count };
    const key = JSON.stringify([view.month, type, view.source]);
    views.set(key, { ...view, count: count + (views.get(key)?.count ?? 0) });
  }
  return [...views.values()];
}

function splitChangeType(type: string): { type: string; context: string; action: string } {
  const dot = type.indexOf('.');
  return { type, context: type.slice(0, dot), action: type.slice(dot + 1) };
}

const sourceView = (source: ChangeSource): Source => (source === 'dashboard' ? 'dashboard' : 'wpadmin');
