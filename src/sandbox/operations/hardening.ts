import { DEFAULT_THEMES } from '../state/catalogue.ts';
import type { HardeningFlag, SiteState } from '../state/site-state.ts';

/** Returns the ten security checks as the child calculates them (protocol 4.7). */
export function securityStats(state: SiteState, secure: boolean): Record<string, string> {
  const yes = (good: boolean): string => (good ? 'Y' : 'N');
  const plugins = [...state.plugins.values()];
  const themes = [...state.themes.values()];
  return {
    db_reporting: flagValue(state.hardening.db_reporting),
    php_reporting: flagValue(state.hardening.php_reporting),
    wp_uptodate: yes(state.core.update === null),
    phpversion_matched: yes(Number.parseInt(state.phpVersion, 10) >= 8),
    sslprotocol: yes(secure),
    debug_disabled: yes(!state.debug),
    sec_outdated_plugins: yes(plugins.every((plugin) => plugin.update === null)),
    sec_inactive_plugins: yes(plugins.every((plugin) => plugin.active || plugin.mu)),
    sec_outdated_themes: yes(themes.every((theme) => theme.update === null)),
    sec_inactive_themes: yes(onlyNeededThemes(state)),
  };
}

function flagValue(flag: HardeningFlag): string {
  if (flag.fixed) return 'Y';
  return flag.good ? 'Y_UNABLE' : 'N';
}

function onlyNeededThemes(state: SiteState): boolean {
  const parent = state.themes.get(state.activeTheme)?.definition.parent;
  const spare = [...state.themes.keys()].filter(
    (stylesheet) => stylesheet !== state.activeTheme && stylesheet !== parent,
  );
  return spare.length === 0 || (spare.length === 1 && DEFAULT_THEMES.some((item) => item.stylesheet === spare[0]));
}

export function securityIssues(stats: Record<string, string>): number {
  return Object.values(stats).filter((value) => value === 'N').length;
}
