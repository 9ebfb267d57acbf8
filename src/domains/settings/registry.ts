import { flag, integer, type Definition } from './definitions.ts';

/** How hard the fleet is called, what counts as abandoned, and how much one call may ask for. */
const advanced = {
  svc_maximum_requests: integer({ min: 1, max: 500, default: 32, effect: 'behaviour' }),
  svc_minimum_delay: integer({ min: 0, max: 5000, default: 0, effect: 'behaviour' }),
  svc_maximum_ip_requests: integer({ min: 1, max: 50, default: 4, effect: 'behaviour' }),
  svc_minimum_ip_delay: integer({ min: 0, max: 5000, default: 0, effect: 'behaviour' }),
  svc_maximum_sync_requests: integer({ min: 1, max: 500, default: 32, effect: 'behaviour' }),
  svc_maximum_install_update_requests: integer({ min: 1, max: 500, default: 8, effect: 'behaviour' }),
  svc_maximum_uptime_monitoring_requests: integer({ min: 1, max: 500, default: 50, effect: 'behaviour' }),
  svc_ssl_verify_certificate: flag({ default: 1, effect: 'behaviour' }),
  numberdays_outdate_plugin_theme: integer({ min: 1, max: 3650, default: 730, effect: 'behaviour' }),
  svc_rest_batch_items_limit: integer({ min: 1, max: 1000, default: 100, effect: 'behaviour' }),
};

/** All settings by group; the one place of their ranges and defaults. */
export const SETTINGS = { advanced };

export type Group = keyof typeof SETTINGS;
type Definitions<G extends Group> = (typeof SETTINGS)[G];
type ValueOf<D> = D extends Definition<infer T> ? T : never;

export type Settings<G extends Group> = { readonly [N in keyof Definitions<G>]: ValueOf<Definitions<G>[N]> };
/** Absent leaves a setting as it is, null puts it back to its default. */
export type SettingsPatch<G extends Group> = { [N in keyof Definitions<G>]?: ValueOf<Definitions<G>[N]> | null };

export const GROUPS = Object.keys(SETTINGS) as Group[];

export const definitionsOf = (group: Group): [string, Definition<unknown>][] => Object.entries(SETTINGS[group]);

/** Under which name a setting is stored: two groups may have a field of the same name. */
export const storedName = (group: Group, name: string): string => `${group}.${name}`;
