import type { SiteState } from '../state/site-state.ts';
import type { Defects } from './defects.ts';

export function runsNewest({ core, plugins, themes, activeTheme }: SiteState, slug: string): boolean {
  if (slug === 'core') return core.update === null;
  if (slug === activeTheme) return themes.get(slug)?.update === null;
  const plugin = plugins.get(slug);
  return plugin?.active === true && plugin.update === null;
}

/**
 * HTTP status of the home page if the new version of an item breaks it, or a needed plugin is inactive. Otherwise
 * undefined.
 */
export const brokenHomePage = ({ defects, state }: { defects: Defects; state: SiteState }): number | undefined =>
  ([...defects.breakingPage].find(([slug]) => runsNewest(state, slug)) ??
    [...defects.neededPlugins].find(([slug]) => state.plugins.get(slug)?.active === false))?.[1];
