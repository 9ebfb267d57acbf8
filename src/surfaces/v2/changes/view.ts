import type { components } from '../../../../generated/v2.ts';
import type { ChangeFilter, ChangeSource, LoggedChange } from '../../../domains/changes/index.ts';
import { SECOND, toIso } from '../../../shared/clock.ts';
import { presentFields } from '../input.ts';

type Source = components['schemas']['SiteChange']['source'];

/** A child keeps two logs, which are one to whoever reads them. */
const SOURCES: Readonly<Record<Source, readonly ChangeSource[]>> = {
  wpadmin: ['child_actions', 'child_changes'],
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
  ...presentFields({ contexts, actions }),
  ...(source === 'all' ? {} : { sources: SOURCES[source] }),
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
  const dot = type.indexOf('.');
  return {
    id,
    type,
    context: type.slice(0, dot),
    action: type.slice(dot + 1),
    description,
    name,
    key,
    before: { ...before },
    after: { ...after },
    user: actor,
    source: source === 'dashboard' ? 'dashboard' : 'wpadmin',
    timestamp: toIso(at),
    created: Math.floor(at / SECOND),
  };
}
