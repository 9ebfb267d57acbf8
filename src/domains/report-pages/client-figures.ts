import { sum, sumOrNull, type KeyFigures } from './key-figures.ts';
import { combineStateValues, type StateValue } from './state-values.ts';

function onlineOfAll(keys: readonly KeyFigures[]): number | null {
  const watched = keys.filter((key) => key.online !== null);
  const minutes = sum(watched.map(({ watchedMinutes }) => watchedMinutes));
  if (minutes === 0) return null;
  return sum(watched.map(({ online, watchedMinutes }) => (online ?? 0) * watchedMinutes)) / minutes;
}

const least = (values: readonly number[]): number => Math.min(...values);

/** Combines the figures of all sites. Figures without a meaning for several sites, such as `responseMs`, are null. */
export function combineKeyFigures(keys: readonly KeyFigures[]): KeyFigures {
  const all = <Name extends keyof KeyFigures>(name: Name): KeyFigures[Name][] => keys.map((key) => key[name]);
  const states = (
    name: 'certificateDays' | 'domainDays' | 'openVulnerabilities' | 'pending',
    combine: (values: readonly number[]) => number,
  ): StateValue | null => combineStateValues(all(name), combine);
  return {
    updates: sumOrNull(all('updates')),
    content: sumOrNull(all('content')),
    workMinutes: sumOrNull(all('workMinutes')),
    tasks: sum(all('tasks')),
    online: onlineOfAll(keys),
    watchedMinutes: sum(all('watchedMinutes')),
    unwatchedMinutes: sum(all('unwatchedMinutes')),
    watchedSince: null,
    incidents: sum(all('incidents')),
    downtimeMinutes: sum(all('downtimeMinutes')),
    responseMs: null,
    backups: sumOrNull(all('backups')),
    fixedVulnerabilities: sum(all('fixedVulnerabilities')),
    openAtEnd: sumOrNull(all('openAtEnd')),
    performance: null,
    certificateDays: states('certificateDays', least),
    domainDays: states('domainDays', least),
    openVulnerabilities: states('openVulnerabilities', sum),
    pending: states('pending', sum),
  };
}
